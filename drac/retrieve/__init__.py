"""From a question to ranked chunks and pages: windows, vectors, search, passages. Pure logic, no SDK."""
