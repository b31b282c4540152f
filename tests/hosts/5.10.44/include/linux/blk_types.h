	REQ_OP_SCSI_IN		= 32,
	REQ_OP_WRITE_SAME	= 7,
	REQ_OP_ZONE_APPEND	= 13,
	REQ_OP_ZONE_OPEN	= 10,
	case REQ_OP_ZONE_OPEN:
	REQ_OP_ZONE_RESET_ALL	= 17,
 * the exception of REQ_OP_ZONE_RESET_ALL which is treated as a special case
