import { readConfig } from '#app/config.ts'
import { countLimits } from '#app/token-counter.ts'
import { mintedKeysMax } from '#demo/demo-tenant.ts'
import { batchMax } from '#domain/secrets/hash-lookup.ts'
import { batchMax as eventsMax, queueMax as eventQueueMax } from '#emitters/emitter-worker.ts'
import { longTurnFactor } from '#gateway/overload/admission.ts'
import { waitShare } from '#gateway/overload/capacity.ts'
import { bodyShares, largeBodyBytesMin, smallBodyShare } from '#gateway/overload/body-intake.ts'
import { gatewayLimits } from '#gateway/call/ports.ts'
import { bodyBytesMax as controlBytesMax, publicBodyBytesMax } from '#http/json-body.ts'
import { namesMax, type Rate, rateLimits, readMsPerCall } from '#http/rate-limits.ts'
import { streamLimits } from '#http/streamed-response.ts'
import { connectionTimes, headLimits } from '#http/connection-limits.ts'
import type { Guessable } from '#operations/kernel/operation.ts'
import { liveMax } from '#operations/deviceAuth/start.ts'
import { emittersMax } from '#operations/emitters/add.ts'
import { lookUpsMax, waitingMax as namesWaitingMax } from '#providers/name-resolver.ts'
import { connectionLimits } from '#providers/remote-upstream.ts'
import { reportsMax, readersMax } from '#store/postgres/database.ts'
import { transactionMsMax } from '#store/sql/database.ts'
import { batchMax as operationsMax } from '#store/ledger/batch-timing.ts'
import { readLimits } from '#store/sql/caller-turns.ts'
import { reportThreadsMax } from '#store/sqlite/database.ts'
import { heldMax, readersMaxDefault } from '#tail/call-tail-hub.ts'
import { waitingCharactersMax } from '#tail/tail-reader.ts'
import { callLines } from '#telemetry/call-log.ts'
import { labelLimits } from '#telemetry/call-metrics.ts'
import { warningLines } from '#telemetry/telemetry.ts'

/** A row of the table. Numbers come from the constants that the code uses. */
interface SharedResource {
  readonly resource: string
  /** The limit in one process, for all tenants together. */
  readonly total: string
  readonly share: string
  readonly atLimit: string
  /** The files under src/ that enforce the limit. */
  readonly code: readonly string[]
}

/**
 * Writes the reference page of the resources that all tenants share. It states each tenant's share, which prevents one
 * tenant from blocking the others.
 */
export function sharedResources(): string {
  const parts = sections.flatMap(({ resources, title }) => [`## ${title}`, table(resources)])
  return `${[head, ...parts, foot].join('\n\n')}\n`
}

const head = `# Shared resources

All tenants of a server share these resources, and each tenant has a limited share. No organization, application, end user
or address can stop another one by using its whole share. \`tests/long/one-abusive-tenant.test.ts\` exhausts each
resource for one tenant while another tenant sends requests.

Every figure is for one server process, unless the row states otherwise. If several processes use one PostgreSQL
database, each process has its own shares. \`npm run generate\` writes this page from the constants of the code.`

const foot = `"No share" means that the resource is not divided by tenant. The row names the limit that applies instead.`

const config = readConfig({})
const { admission, heldWait, wrongKeys } = gatewayLimits

const count = (n: number): string => n.toLocaleString('en-US')
const bytes = (n: number): string => (n < 1024 * 1024 ? `${n / 1024} KiB` : `${n / 1024 / 1024} MiB`)
const seconds = (ms: number): string => `${count(ms / 1000)} s`
const rate = ({ burst, perSecond }: Rate): string =>
  perSecond < 1 ? `${burst} a minute` : `${count(perSecond)} a second, ${count(burst)} in a burst`
const percent = (share: number): string => `${share * 100} %`

/** For a limit on guesses: the name of the protected secret, as the table shows it. */
const guessers: Readonly<Record<string, string>> = {
  address: 'An address',
  organization: 'An organization',
  site: 'A network that no one has signed in from',
  strangers: 'All such networks',
  all: 'Everyone together',
}

function guesses(kind: Guessable): string {
  const limits: [string, Rate | null][] = Object.entries(rateLimits.guesses[kind])
  return limits
    .flatMap(([who, limit]) => (limit === null ? [] : [`${guessers[who] ?? who}: ${rate(limit)}.`]))
    .join(' ')
}

const sections: readonly { readonly title: string; readonly resources: readonly SharedResource[] }[] = [
  {
    title: 'Calls',
    resources: [
      {
        resource: 'Event loop',
        total: 'one thread',
        share:
          'No share. SQL statements that read data, password hashes, token counts and DNS lookups run on other threads. Large bodies are parsed in pieces as they arrive.',
        atLimit: 'Requests take longer, and fewer requests start in a turn.',
        code: ['store/sqlite/readers.ts', 'gateway/arrive/parse-body.ts'],
      },
      {
        resource: 'Requests in flight at gateways',
        total: `${count(admission.inFlightMax)}, and at most the number of connections of a port (\`TOLLGATE_IN_FLIGHT_MAX\`). The limit is lower if a turn of the event loop takes longer than ${admission.loopDelayMsMax} ms or more than ${percent(admission.memoryShareMax)} of the heap is used. ${admission.startsPerTurn} requests start in one turn, and up to ${admission.startsPerTurn * longTurnFactor} if rejections take more than three quarters of the time.`,
        share: 'No share. Further requests wait to start.',
        atLimit:
          'The request waits. Requests in flight, the control plane, `/health` and `/metrics` do not wait.',
        code: ['gateway/overload/admission.ts', 'gateway/overload/capacity.ts'],
      },
      {
        resource: 'Requests that wait to start',
        total: `${count(admission.waitingMax)} (\`TOLLGATE_WAITING_MAX\`), or as many as can start in ${seconds(config.waitingMs * waitShare)}, but at least ${count(admission.waitingMin)}. Each request waits at most ${seconds(config.waitingMs)} (\`TOLLGATE_WAITING_MS\`), and at most half of its client’s timeout.`,
        share:
          'Organizations take turns, then applications, then end users. If the queue is full, the newest request of the owner with the most waiting requests is rejected.',
        atLimit: '503 `overloaded` (529 for the messages format), before the body is read',
        code: ['gateway/overload/fair-queue.ts', 'gateway/end/write-overloaded.ts'],
      },
      {
        resource: 'Wrong keys at gateways',
        total: `a table of 8 MiB for all networks; ${rate(wrongKeys.all)}`,
        share: `Wrong keys from one address (IPv6: network) at one application: ${rate(wrongKeys.network)}. A valid key is not affected.`,
        atLimit: `429 \`rate_limited\`, unless the store knows the key. Every ${wrongKeys.pauseMs} ms, one query at a time looks up at most ${batchMax} waiting keys.`,
        code: ['gateway/overload/wrong-keys.ts', 'domain/secrets/hash-lookup.ts'],
      },
      {
        resource: 'Memory for request bodies',
        total: `${bytes(config.bodyBytesMax)} (\`TOLLGATE_BODY_MEMORY_MIB\`). Bytes count when they arrive. ${percent(smallBodyShare)} is reserved for bodies up to ${bytes(largeBodyBytesMin)}`,
        share: `Larger bodies: ${percent(bodyShares.organization)} for an organization, ${percent(bodyShares.application)} for an application, ${percent(bodyShares.key)} for a key. Each of these owners may send one request of ${bytes(gatewayLimits.requestBytesMax)}.`,
        atLimit: '429 `too_many_bodies`, which names the owner; 503 `overloaded` if the process is full',
        code: ['gateway/overload/body-intake.ts'],
      },
      {
        resource: 'Time for a body',
        total: `-`,
        share: `After ${seconds(gatewayLimits.bodyGraceMs)}, a body must arrive at ${bytes(gatewayLimits.bodyBytesPerSecondMin)} a second. A body with a stated length must be complete within ${seconds(gatewayLimits.bodyArrivesMs)}.`,
        atLimit: '408 `request_too_slow`',
        code: ['gateway/overload/body-intake.ts'],
      },
      {
        resource: 'Requests that wait for held money',
        total: count(heldWait.waitersInAllMax),
        share: `${heldWait.waitersMax} waiting requests of an end user. Each request waits for ${seconds(config.heldWaitMs)} (\`TOLLGATE_HELD_WAIT_MS\`).`,
        atLimit: '429 `balance_held`',
        code: ['gateway/call/calls-waiting-for-money.ts'],
      },
      {
        resource: 'Ledger queue',
        total: 'one writer; on PostgreSQL two writers per process',
        share: `Operations are committed in groups of up to ${operationsMax}, in the order of arrival. If more operations wait, applications take turns in the next group. Each request has at most one operation in the queue.`,
        atLimit:
          'The operations of an application wait for earlier operations of the same application. 503 `store_unavailable` if the store accepts no writes.',
        code: ['store/ledger/queue.ts', 'store/ledger/fair-batch.ts'],
      },
      {
        resource: 'Token counter',
        total: `one thread; ${countLimits.waitingMax} texts and ${bytes(countLimits.waitingCharactersMax)} of text waiting`,
        share: `${countLimits.ofOrganization.waitingMax} texts and ${bytes(countLimits.ofOrganization.waitingCharactersMax)} of text for an organization. Each count is limited in length.`,
        atLimit: 'No request is rejected: the hold uses the maximum computed from the bytes.',
        code: ['app/token-counter.ts', 'gateway/decide/tokenizer-bound.ts'],
      },
      {
        resource: 'Provider streams that are read after the client disconnects',
        total: `${gatewayLimits.drainsMax} concurrent reads`,
        share: `${gatewayLimits.drainsOfOrganizationMax} concurrent reads of an organization. A read ends after ${seconds(gatewayLimits.drainMs)} or ${bytes(gatewayLimits.drainBytesMax)}.`,
        atLimit: 'The gateway closes the provider’s stream, and charges its own count.',
        code: ['gateway/call/reads-after-disconnect.ts', 'gateway/relay/charge-after-disconnect.ts'],
      },
      {
        resource: 'Files that providers store',
        total: '-',
        share: `${gatewayLimits.files.filesMax} files with ${bytes(gatewayLimits.files.fileBytesMax)} in total for an end user, in each mode (\`filesMax\` and \`fileBytesMax\` of \`gateway.set\`)`,
        atLimit: '403 `file_limit_reached`',
        code: ['gateway/serve-uploaded-files.ts', 'store/nouns/stored-files.ts'],
      },
      {
        resource: 'Requests in batches',
        total: '-',
        share: `${count(gatewayLimits.batches.requestsMax)} requests in a batch; ${count(gatewayLimits.batches.openRequestsMax)} requests of an end user in batches that have not ended, in each mode. After every 64 requests of a batch, other calls are served.`,
        atLimit: '400 `invalid_request`, 429 `batch_limit_reached`',
        code: ['gateway/create-batch.ts', 'gateway/call/map-with-pauses.ts'],
      },
      {
        resource: 'Memory for responses',
        total: '-',
        share: `${bytes(gatewayLimits.responseBytesMax)} for a response; a client that reads nothing for ${seconds(gatewayLimits.stallMs)} is disconnected`,
        atLimit: '502 `upstream_truncated`, or the connection is closed',
        code: ['gateway/call/ports.ts'],
      },
    ],
  },
  {
    title: 'Control plane and portals',
    resources: [
      {
        resource: 'Requests',
        total: '-',
        share: `Each credential or signed-in user: ${rate({ perSecond: config.controlCallsPerSecond, burst: 5 * config.controlCallsPerSecond })} (\`TOLLGATE_CONTROL_RATE\`). A slow read counts as an additional request for every ${readMsPerCall} ms that it takes in the store.`,
        atLimit: '429 `rate_limited`',
        code: ['http/caller-rate-limiter.ts', 'http/rate-limits.ts'],
      },
      {
        resource: 'Wrong credentials',
        total: '-',
        share: `Wrong credentials from one address (IPv6: network), at the control plane and at each portal: ${rate(rateLimits.address ?? never())}. A valid credential is not affected.`,
        atLimit: `429 \`rate_limited\`, unless the store knows the credential. One query at a time looks up at most ${batchMax} waiting credentials.`,
        code: ['http/caller-rate-limiter.ts', 'domain/secrets/hash-lookup.ts'],
      },
      {
        resource: 'Public requests',
        total: '-',
        share: `Public requests from one address, at the control plane and at each portal: ${rate(rateLimits.public ?? never())}`,
        atLimit: '429 `rate_limited`',
        code: ['http/caller-rate-limiter.ts'],
      },
      {
        resource: 'Request bodies',
        total: 'the memory for request bodies of gateways',
        share: `${bytes(controlBytesMax)} for a request, ${bytes(publicBodyBytesMax)} without a credential`,
        atLimit: '413 `request_too_large`, 429 `too_many_bodies`, 503 `overloaded`',
        code: ['http/json-body.ts'],
      },
      {
        resource: 'Database reads (threads and connections)',
        total: `SQLite: one thread for look-ups, ${reportThreadsMax} for reports. PostgreSQL: ${readersMax} connections, ${reportsMax} of them for reports.`,
        share: `${readLimits.ofOrganization} concurrent SQL statements for an organization, ${readLimits.ofEndUser} for an end user. Waiting requests: ${readLimits.waitingOfCaller} for a caller of the team, ${readLimits.waitingOfEndUser} for an end user, ${readLimits.waitingOfEndUsers} for all end users of an organization, ${readLimits.waitingOfOrganization} for an organization, ${count(readLimits.waitingOfAll)} in all. Organizations take turns, and the callers of an organization take turns.`,
        atLimit: `429 \`too_many_reads\`, also after ${seconds(readLimits.waitMsMax)} of waiting; 503 \`overloaded\` if too many requests wait in total`,
        code: ['store/sql/caller-turns.ts', 'store/sqlite/readers.ts', 'store/postgres/database.ts'],
      },
      {
        resource: 'Database transactions of the control plane',
        total: 'One transaction at a time. On PostgreSQL, the limit applies to the whole database.',
        share: `Organizations take turns, and the callers of an organization take turns. A waiting transaction is not rejected. The number of waiting transactions is limited by the rate of requests. A transaction may take ${seconds(transactionMsMax)}.`,
        atLimit: 'The transaction is rolled back: 500 `internal`.',
        code: ['store/sql/caller-turns.ts', 'store/sql/transaction-time-limit.ts'],
      },
      {
        resource: 'Password attempts and hashes (scrypt)',
        total: 'a few concurrent hashes, each of which uses a thread of libuv’s pool and 128 MiB',
        share: `${guesses('password')} The queue of hashes is fair by network, and browsers that have signed in before have a separate queue. Each further failed attempt on an account waits longer.`,
        atLimit: '429 `rate_limited`',
        code: ['domain/people/passwords.ts', 'http/rate-limits.ts'],
      },
      {
        resource: 'Codes of device sign-ins',
        total: '-',
        share: guesses('userCode'),
        atLimit: '429 `rate_limited`',
        code: ['http/rate-limits.ts'],
      },
      {
        resource: 'Starts of device sign-ins',
        total: `${count(liveMax)} pending codes in the whole store`,
        share: `${guesses('deviceSignIn')} Other networks do not affect networks that have signed in before.`,
        atLimit: '429 `rate_limited`',
        code: ['http/rate-limits.ts', 'operations/deviceAuth/start.ts'],
      },
      {
        resource: 'Provider probes',
        total: '-',
        share: guesses('providerCredential'),
        atLimit: '429 `rate_limited`',
        code: ['http/rate-limits.ts', 'providers/account-probe.ts'],
      },
      {
        resource: 'Readers of `requests.tail`',
        total: '-',
        share: `${readersMaxDefault} readers of an organization. At most ${bytes(waitingCharactersMax)} of text waits for a reader, and ${count(heldMax)} requests for all readers of an application.`,
        atLimit: '429 `too_many_readers`; a reader that reads nothing is disconnected',
        code: ['tail/call-tail-hub.ts', 'tail/tail-reader.ts'],
      },
      {
        resource: 'Streamed responses (`usage.export`)',
        total: '-',
        share: `Each page is read after the client has received the previous page, within the organization’s share of reads. A client that reads nothing for ${seconds(streamLimits.stallMs)} is disconnected.`,
        atLimit: 'The connection is closed.',
        code: ['http/streamed-response.ts'],
      },
      {
        resource: 'Demo tier',
        total: `${mintedKeysMax} keys for each of its tenants`,
        share:
          'No share, because everyone uses the same tenants. The rate of a credential applies to each address.',
        atLimit: '409 `demo_keys_exhausted`, 429 `rate_limited`',
        code: ['demo/demo-tenant.ts'],
      },
    ],
  },
  {
    title: 'Requests to providers and webhooks',
    resources: [
      {
        resource: 'DNS lookups',
        total: 'no limit, because each lookup needs only a timer',
        share: `${lookUpsMax} concurrent lookups for an organization, ${count(namesWaitingMax)} waiting`,
        atLimit: '502 `upstream_error` for a request; the next attempt for an event',
        code: ['providers/name-resolver.ts'],
      },
      {
        resource: 'Sockets to providers',
        total: `${count(connectionLimits.accountsMax)} accounts that keep connections`,
        share: `${count(connectionLimits.ofOrganization.connectionsMax)} for an organization, and at most a quarter of the file descriptors; ${count(connectionLimits.connectionsMax)} for a provider account. ${count(connectionLimits.ofOrganization.waitingMax)} requests of an organization can wait for a connection, and ${count(connectionLimits.accountsOfOrganizationMax)} accounts of an organization keep connections. Accounts never share a connection.`,
        atLimit:
          'The call waits for a connection, and gets 504 `upstream_timeout` after its deadline. 429 `rate_limited` if too many calls of the organization wait.',
        code: [
          'providers/remote-upstream.ts',
          'providers/connection-share.ts',
          'providers/connection-pool.ts',
        ],
      },
      {
        resource: 'Requests to the server itself',
        total: '-',
        share:
          'None. The hosts and ports of the server itself are rejected when an address is saved and when a connection is made. A loop through a proxy that drops `CDN-Loop` is limited by the sockets to providers.',
        atLimit: '508 `request_loop` for a request that has this installation in `CDN-Loop`',
        code: ['domain/network/request-loop.ts', 'providers/outbound-guard.ts'],
      },
      {
        resource: 'Queues of emitters',
        total: '-',
        share: `${emittersMax} emitters for an application and mode. Each emitter sends one request at a time with up to ${eventsMax} events, while up to ${count(eventQueueMax)} events wait.`,
        atLimit: 'Further events are counted as dropped, and can be replayed from the records.',
        code: ['emitters/emitter-worker.ts'],
      },
    ],
  },
  {
    title: 'The process',
    resources: [
      {
        resource: 'File descriptors',
        total:
          'the number that the system allows (`ulimit -n`). Half of them are for clients’ connections at each port (`TOLLGATE_CONNECTIONS_MAX`).',
        share: `No share for connections without a request, because they belong to no tenant. The number of sockets to providers limits the requests in flight of an organization. A connection must send the headers (up to ${bytes(headLimits.bytesMax)} and ${headLimits.fieldsMax} fields) within ${seconds(connectionTimes.headersTimeout)}, the whole request within ${seconds(connectionTimes.requestTimeout)}, and the next request within ${seconds(connectionTimes.keepAliveTimeout)}.`,
        atLimit: 'The connection is closed. Use a proxy in front to limit connections by address.',
        code: ['http/server-by-host.ts'],
      },
      {
        resource: 'Log lines',
        total: 'written without waiting for the disk',
        share: `In a second, an organization has ${callLines.linesMax} lines about requests and ${warningLines.linesMax} about provider failures. \`TOLLGATE_LOG_CALLS\` logs only a share of the successful requests.`,
        atLimit: 'Lines are omitted. The next line reports their number as `suppressed`.',
        code: ['app/log.ts', 'telemetry/log-line-limit.ts', 'telemetry/telemetry.ts'],
      },
      {
        resource: 'Labels of metrics',
        total: `${labelLimits.applicationsMax} applications, ${labelLimits.modelsMax} models, ${labelLimits.accountsMax} accounts`,
        share: 'No share. The first values that are used get a label.',
        atLimit: 'Other values are counted as `other`.',
        code: ['telemetry/call-metrics.ts'],
      },
      {
        resource: 'Memory for rate limits',
        total: `${count(namesMax)} names for each rate`,
        share: 'No share',
        atLimit: 'The names that were unused for the longest time are removed.',
        code: ['http/rate-limits.ts'],
      },
    ],
  },
]

const titles = ['Resource', 'In all', 'Share', 'At the limit', 'Decided in']

function table(resources: readonly SharedResource[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`
  const rows = resources.map(({ atLimit, code, resource, share, total }) =>
    line([resource, total, share, atLimit, code.map((file) => `\`src/${file}\``).join(', ')]),
  )
  return [line(titles), line(titles.map(() => '---')), ...rows].join('\n')
}

function never(): never {
  throw new Error('this rate is always limited')
}
