-- A method is noted before it is sent and written again when its rail has decided, soon after it was made. With room left in its
-- page it stays there, and no index hears of it.
alter table charge_methods set (fillfactor = 50);
