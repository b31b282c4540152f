	REQ_OP_ZONE_APPEND	= (__force blk_opf_t)7,
	REQ_OP_ZONE_OPEN	= (__force blk_opf_t)11,
	case REQ_OP_ZONE_OPEN:
	REQ_OP_ZONE_RESET_ALL	= (__force blk_opf_t)19,
	case REQ_OP_ZONE_RESET_ALL:
