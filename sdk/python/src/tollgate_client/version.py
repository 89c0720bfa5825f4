"""Of this package; pyproject.toml reads it here."""

version = "0.1.0"
