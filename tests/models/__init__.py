"""The multimodal path end to end: the real command line against the simulated model server."""
