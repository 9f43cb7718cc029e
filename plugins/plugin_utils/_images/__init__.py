# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""The project's images: names, components, licences, and the software bill of materials."""
