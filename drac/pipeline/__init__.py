"""Documents through the stages, by way of the store; takes ports as arguments."""
