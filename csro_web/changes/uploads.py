"""Takes files into memory, up to a limit, and never onto a disk or under their own name."""

from __future__ import annotations

from io import BytesIO
from typing import Any

from django.core.files.uploadedfile import InMemoryUploadedFile
from django.core.files.uploadhandler import FileUploadHandler, SkipFile, StopUpload

from csro_web.changes.archives import MOST_BYTES

FAR_TOO_LARGE = 64 * 1024 * 1024
"""Bytes of a request beyond which the rest of it is not even read."""


class InMemory(FileUploadHandler):
    """The only handler of uploads (``FILE_UPLOAD_HANDLERS``).

    A file beyond the limit is dropped while the rest of the form is read, and
    ``request.upload_too_large`` says so.
    """

    def handle_raw_input(
        self, input_data: Any, META: Any, content_length: int, boundary: Any, encoding: Any = None
    ) -> None:
        self._request_length = content_length

    def new_file(self, *args: Any, **kwargs: Any) -> None:
        super().new_file(*args, **kwargs)
        self._content = BytesIO()
        if self._request_length > FAR_TOO_LARGE:
            self._refuse()
            raise StopUpload(connection_reset=True)

    def receive_data_chunk(self, raw_data: bytes, start: int) -> None:
        if self._content.tell() + len(raw_data) > MOST_BYTES:
            self._content = BytesIO()
            self._refuse()
            raise SkipFile
        self._content.write(raw_data)

    def file_complete(self, file_size: int) -> InMemoryUploadedFile:
        self._content.seek(0)
        return InMemoryUploadedFile(
            file=self._content,
            field_name=self.field_name,
            name=self.file_name,
            content_type=self.content_type,
            size=file_size,
            charset=self.charset,
            content_type_extra=self.content_type_extra,
        )

    def _refuse(self) -> None:
        if self.request is not None:
            self.request.upload_too_large = True
