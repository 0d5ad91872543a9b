"""A model server on the loopback that only plays a model, for tests and for users without an account."""
