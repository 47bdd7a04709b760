"""The plugin as an installed package would bring it, and pytest's own for tests of plugins."""

pytest_plugins = ["pytest_lectern", "pytester"]
