typedef int vm_fault_t;
	vm_fault_t (*fault)(const struct vm_special_mapping *sm,
