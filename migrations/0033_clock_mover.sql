-- Who moves the clock: nobody else may, and whoever asks twice for the same journey is the same.
alter table clock add column mover uuid;
