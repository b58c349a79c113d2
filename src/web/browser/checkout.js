// The checkout page.
