"""The interface of vision-language servers, as far as it fits: one image, its text.

Tools that were written for `POST /v1/chat/completions` work with this service unchanged. What has
no meaning here is refused, never passed over.
"""
