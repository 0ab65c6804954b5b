int sl_simdjson_placeholder(void);
