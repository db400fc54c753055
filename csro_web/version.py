"""The application's version, for the terminal and for the manifests of bundles."""

VERSION = "0.1.0"
