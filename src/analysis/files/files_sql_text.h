/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A text of the source: the SQL of `iotracer files` for ClickHouse. */
#pragma once

/* files.clickhouse.sql; @TYPES@ stands for the columns of fs. */
extern const char files_sql_text[];
