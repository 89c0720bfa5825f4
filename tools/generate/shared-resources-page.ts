import { readConfig } from '#app/server-configuration.ts'
import { countLimits } from '#app/token-counter.ts'
import { mintedKeysMax } from '#demo/demo-tenant.ts'
import { batchMax } from '#domain/secrets/batched-hash-look-ups.ts'
import { batchMax as eventsMax, queueMax as eventQueueMax } from '#emitters/deliver-events-of-emitter.ts'
import { restMsMax, restMsMin } from '#gateway/overload/resting-connections.ts'
import { longTurnFactor } from '#gateway/overload/admit-or-queue-requests.ts'
import { waitShare } from '#gateway/overload/adjust-limits-to-load.ts'
import { bodyShares, largeBodyBytesMin, smallBodyShare } from '#gateway/overload/limit-memory-of-bodies.ts'
import { gatewayLimits } from '#gateway/call/dependencies-of-gateway.ts'
import { bodyBytesMax as controlBytesMax, publicBodyBytesMax } from '#http/read-json-body.ts'
import { namesMax, type Rate, rateLimits, readMsPerCall } from '#http/control-plane-rate-limiter.ts'
import { streamLimits } from '#http/streamed-response.ts'
import { connectionTimes, headLimits } from '#http/connection-timeouts-and-head-limits.ts'
import type { Guessable } from '#operations/kernel/declare-operation.ts'
import { liveMax } from '#operations/deviceAuth/start.ts'
import { emittersMax } from '#operations/emitters/add.ts'
import { lookUpsMax, waitingMax as namesWaitingMax } from '#providers/name-resolver.ts'
import { connectionLimits } from '#providers/send-calls-to-provider.ts'
import { reportsMax, readersMax } from '#store/postgres/database.ts'
import { transactionMsMax } from '#store/sql/database-interface.ts'
import { batchMax as operationsMax, waitingOfBusyLedger } from '#store/ledger/when-to-start-batch.ts'
import { readLimits } from '#store/sql/turns-for-statements.ts'
import { reportThreadsMax } from '#store/sqlite/database.ts'
import { heldMax, readersInAllMaxDefault, readersMaxDefault } from '#tail/send-ended-calls-to-readers.ts'
import { waitingCharactersMax } from '#tail/tail-reader.ts'
import { callLines } from '#telemetry/call-log.ts'
import { labelLimits } from '#telemetry/call-metrics.ts'
import { warningLines } from '#telemetry/report-ended-calls.ts'

/** The numbers come from the constants that the code uses. */
interface SharedResource {
  readonly resource: string
  /** The limit in one process, for all tenants together. */
  readonly total: string
  readonly share: string
  readonly atLimit: string
  /** The files under src/ that enforce the limit. */
  readonly code: readonly string[]
}

/** The page states each tenant's share, which prevents one tenant from blocking the others. */
export function sharedResources(): string {
  const parts = sections.flatMap(({ resources, title }) => [`## ${title}`, table(resources)])
  return `${[head, ...parts, foot].join('\n\n')}\n`
}

const head = `# Shared resources

The tenants of a server (organizations, applications, end users and addresses) share its resources. Each tenant has a
limit, so no tenant can use up a resource for the others. \`tests/long/one-abusive-tenant.test.ts\` exhausts each
resource for one tenant while another tenant sends requests.

Every figure is for one server process, unless the table states otherwise. If several processes use one PostgreSQL
database, each process has its own limits. \`npm run generate\` writes this page from the constants of the code.`

const foot = `If a resource has no limit per tenant, the table names the limit that applies instead.`

const config = readConfig({})
const { admission, heldWait, wrongKeys } = gatewayLimits

const count = (n: number): string => n.toLocaleString('en-US')
const bytes = (n: number): string => (n < 1024 * 1024 ? `${n / 1024} KiB` : `${n / 1024 / 1024} MiB`)
const seconds = (ms: number): string => `${count(ms / 1000)} s`
const rate = ({ burst, perSecond }: Rate): string =>
  perSecond < 1 ? `${burst} a minute` : `${count(perSecond)} a second, ${count(burst)} in a burst`
const percent = (share: number): string => `${share * 100} %`

const guessers: Readonly<Record<string, string>> = {
  address: 'an address',
  organization: 'an organization',
  site: 'a network without an earlier sign-in',
  strangers: 'all networks without an earlier sign-in',
  all: 'all organizations together',
}

/** @param noun what the limits count, at the start of a sentence */
function guesses(kind: Guessable, noun: string): string {
  const limits: [string, Rate | null][] = Object.entries(rateLimits.guesses[kind])
  return limits
    .flatMap(([who, limit]) =>
      limit === null ? [] : [`${noun} from ${guessers[who] ?? who}: ${rate(limit)}.`],
    )
    .join(' ')
}

const sections: readonly { readonly title: string; readonly resources: readonly SharedResource[] }[] = [
  {
    title: 'Calls',
    resources: [
      {
        resource: 'Event loop',
        total: 'The event loop is one thread.',
        share:
          'No limit per tenant. Reads of the store, password hashes, token counts and DNS lookups run on other threads. Large bodies are parsed in pieces as they arrive.',
        atLimit: 'Requests take longer, and fewer requests start in each turn of the event loop.',
        code: ['store/sqlite/reader-threads.ts', 'gateway/arrive/parse-body.ts'],
      },
      {
        resource: 'Requests in flight at gateways',
        total: `${count(admission.inFlightMax)} requests in flight, and at most the number of connections of a port (\`TOLLGATE_IN_FLIGHT_MAX\`). The limit is lower if a turn of the event loop takes longer than ${admission.loopDelayMsMax} ms or more than ${percent(admission.memoryShareMax)} of the heap is used. ${admission.startsPerTurn} requests start in each turn, and up to ${admission.startsPerTurn * longTurnFactor} if rejections take more than three quarters of the time. If more than ${admission.rejectionsPerTurn} requests are rejected in a turn, further requests are rejected in the next turns.`,
        share: `No request of an application starts while ${count(waitingOfBusyLedger)} operations wait for a commit (PostgreSQL: on each connection of the ledger), and the application’s operations use its share. Applications with waiting operations have equal shares.`,
        atLimit:
          'New gateway requests wait. Requests in flight, the control plane, `/health` and `/metrics` do not wait.',
        code: [
          'gateway/overload/admit-or-queue-requests.ts',
          'gateway/overload/adjust-limits-to-load.ts',
          'gateway/overload/spread-rejections-over-turns.ts',
          'store/ledger/when-to-start-batch.ts',
        ],
      },
      {
        resource: 'Requests that wait to start',
        total: `${count(admission.waitingMax)} waiting requests (\`TOLLGATE_WAITING_MAX\`), or as many as can start in ${seconds(config.waitingMs * waitShare)}, but at least ${count(admission.waitingMin)}. A request waits at most ${seconds(config.waitingMs)} (\`TOLLGATE_WAITING_MS\`), and at most half of its client’s timeout.`,
        share:
          'Waiting requests start in turn by organization, then by application, then by end user. If the queue is full, the tenant with the most waiting requests loses its newest request.',
        atLimit: `503 \`overloaded\` (529 for the messages format), before the body is read. The connection then rests for ${seconds(restMsMin)} to ${seconds(restMsMax)}. A request that arrives during the rest waits on the connection. The request is served if the process has capacity within ${seconds(config.waitingMs)}, and is otherwise rejected at the end of the rest.`,
        code: [
          'gateway/overload/fair-queue.ts',
          'gateway/overload/resting-connections.ts',
          'gateway/end/write-overloaded-response.ts',
        ],
      },
      {
        resource: 'Wrong keys at gateways',
        total: `Wrong keys from all networks: ${rate(wrongKeys.all)}. The table that counts wrong keys has 8 MiB.`,
        share: `Wrong keys from one address (IPv6: network) at one application: ${rate(wrongKeys.network)}. Valid keys are not limited.`,
        atLimit: `Wrong keys return 429 \`rate_limited\`, and valid keys are accepted. Every ${wrongKeys.pauseMs} ms, one query looks up at most ${batchMax} waiting keys.`,
        code: ['gateway/overload/limit-wrong-keys.ts', 'domain/secrets/batched-hash-look-ups.ts'],
      },
      {
        resource: 'Memory for request bodies',
        total: `${bytes(config.bodyBytesMax)} for all bodies (\`TOLLGATE_BODY_MEMORY_MIB\`). Bytes count when they arrive. ${percent(smallBodyShare)} of the memory is reserved for bodies up to ${bytes(largeBodyBytesMin)}.`,
        share: `Share of the memory for larger bodies: ${percent(bodyShares.organization)} for an organization, ${percent(bodyShares.application)} for an application, ${percent(bodyShares.key)} for a key. A tenant can always send one request of ${bytes(gatewayLimits.requestBytesMax)}.`,
        atLimit:
          '429 `too_many_bodies`, which names the tenant, or 503 `overloaded` if the memory of the process is used up',
        code: ['gateway/overload/limit-memory-of-bodies.ts'],
      },
      {
        resource: 'Time for a body',
        total: `-`,
        share: `After ${seconds(gatewayLimits.bodyGraceMs)}, a body must arrive at ${bytes(gatewayLimits.bodyBytesPerSecondMin)} a second. A body with a stated length must be complete within ${seconds(gatewayLimits.bodyArrivesMs)}.`,
        atLimit: 'The request returns 408 `request_too_slow`.',
        code: ['gateway/overload/limit-memory-of-bodies.ts'],
      },
      {
        resource: 'Requests that wait for held money',
        total: `${count(heldWait.waitersInAllMax)} requests can wait for held money.`,
        share: `${heldWait.waitersMax} requests of an end user can wait for held money. A request waits for ${seconds(config.heldWaitMs)} (\`TOLLGATE_HELD_WAIT_MS\`).`,
        atLimit: '429 `balance_held`',
        code: ['gateway/call/calls-waiting-for-money.ts'],
      },
      {
        resource: 'Ledger queue',
        total: 'The ledger has one writer. On PostgreSQL, the ledger has two writers per process.',
        share: `Operations are committed in groups of up to ${operationsMax}, in the order of arrival. If more operations wait, the next group has operations of each application in turn. A request has at most one operation in the queue.`,
        atLimit:
          'An operation waits for earlier operations of its application. If the store accepts no writes, requests return 503 `store_unavailable`.',
        code: ['store/ledger/ledger-queue.ts', 'store/ledger/choose-operations-of-batch.ts'],
      },
      {
        resource: 'Token counter',
        total: `One thread counts tokens. ${countLimits.waitingMax} texts with ${bytes(countLimits.waitingCharactersMax)} can wait.`,
        share: `${countLimits.ofOrganization.waitingMax} texts with ${bytes(countLimits.ofOrganization.waitingCharactersMax)} of an organization can wait. The length of a counted text is limited.`,
        atLimit: 'The hold is computed from the bytes of the text instead of its tokens.',
        code: ['app/token-counter.ts', 'gateway/decide/input-bound-by-tokenizer.ts'],
      },
      {
        resource: 'Provider streams that are read after the client disconnects',
        total: `${gatewayLimits.drainsMax} streams are read concurrently.`,
        share: `${gatewayLimits.drainsOfOrganizationMax} streams of an organization are read concurrently. The gateway stops reading a stream after ${seconds(gatewayLimits.drainMs)} or ${bytes(gatewayLimits.drainBytesMax)}.`,
        atLimit:
          'The gateway closes the provider’s stream, and charges the usage that it has counted itself.',
        code: [
          'gateway/call/limit-reads-after-disconnect.ts',
          'gateway/relay/read-on-after-client-disconnect.ts',
        ],
      },
      {
        resource: 'Files that providers store',
        total: '-',
        share: `An end user can have ${gatewayLimits.files.filesMax} files with ${bytes(gatewayLimits.files.fileBytesMax)} in total, in each mode (\`filesMax\` and \`fileBytesMax\` of \`gateway.set\`).`,
        atLimit: '403 `file_limit_reached`',
        code: ['gateway/serve-uploaded-files.ts', 'store/nouns/stored-files.ts'],
      },
      {
        resource: 'Requests in batches',
        total: '-',
        share: `A batch can have ${count(gatewayLimits.batches.requestsMax)} requests. In each mode, an end user can have ${count(gatewayLimits.batches.openRequestsMax)} requests in batches that have not ended. After every 64 requests of a batch, other calls are served.`,
        atLimit: '400 `invalid_request`, 429 `batch_limit_reached`',
        code: ['gateway/create-batch.ts', 'gateway/call/map-list-in-turns.ts'],
      },
      {
        resource: 'Memory for responses',
        total: '-',
        share: `A response can have ${bytes(gatewayLimits.responseBytesMax)}. A client that reads nothing for ${seconds(gatewayLimits.stallMs)} is disconnected.`,
        atLimit: '502 `upstream_truncated`, or the connection is closed',
        code: ['gateway/call/dependencies-of-gateway.ts'],
      },
    ],
  },
  {
    title: 'Control plane and portals',
    resources: [
      {
        resource: 'Requests',
        total: '-',
        share: `Requests of a credential or a signed-in user: ${rate({ perSecond: config.controlCallsPerSecond, burst: 5 * config.controlCallsPerSecond })} (\`TOLLGATE_CONTROL_RATE\`). For every ${readMsPerCall} ms that a read takes in the store, an additional request is counted.`,
        atLimit: '429 `rate_limited`',
        code: ['http/apply-rate-limits-to-caller.ts', 'http/control-plane-rate-limiter.ts'],
      },
      {
        resource: 'Wrong credentials',
        total: '-',
        share: `Wrong credentials from one address (IPv6: network), at the control plane and at each portal: ${rate(rateLimits.address ?? never())}. Valid credentials are not limited.`,
        atLimit: `Wrong credentials return 429 \`rate_limited\`, and valid credentials are accepted. One query at a time looks up at most ${batchMax} waiting credentials.`,
        code: ['http/apply-rate-limits-to-caller.ts', 'domain/secrets/batched-hash-look-ups.ts'],
      },
      {
        resource: 'Public requests',
        total: '-',
        share: `Public requests from one address, at the control plane and at each portal: ${rate(rateLimits.public ?? never())}`,
        atLimit: '429 `rate_limited`',
        code: ['http/apply-rate-limits-to-caller.ts'],
      },
      {
        resource: 'Request bodies',
        total: 'The control plane and portals share the memory for request bodies with the gateways.',
        share: `The body of a request can have ${bytes(controlBytesMax)}, or ${bytes(publicBodyBytesMax)} without a credential.`,
        atLimit: '413 `request_too_large`, 429 `too_many_bodies`, 503 `overloaded`',
        code: ['http/read-json-body.ts'],
      },
      {
        resource: 'Database reads (threads and connections)',
        total: `SQLite: one thread for look-ups, ${reportThreadsMax} for reports. PostgreSQL: ${readersMax} connections, ${reportsMax} of them for reports.`,
        share: `Concurrent SQL statements: ${readLimits.ofOrganization} for an organization, ${readLimits.ofEndUser} for an end user. Waiting requests: ${readLimits.waitingOfCaller} for a caller of the team, ${readLimits.waitingOfEndUser} for an end user, ${readLimits.waitingOfEndUsers} for all end users of an organization, ${readLimits.waitingOfOrganization} for an organization, ${count(readLimits.waitingOfAll)} in all. Reads run in turn by organization, then by caller.`,
        atLimit: `429 \`too_many_reads\`, also after ${seconds(readLimits.waitMsMax)} of waiting, or 503 \`overloaded\` if too many requests of all tenants wait`,
        code: [
          'store/sql/turns-for-statements.ts',
          'store/sqlite/reader-threads.ts',
          'store/postgres/database.ts',
        ],
      },
      {
        resource: 'Database transactions of the control plane',
        total: 'One transaction at a time. On PostgreSQL, the limit applies to the whole database.',
        share: `Transactions run in turn by organization, then by caller. A transaction may take ${seconds(transactionMsMax)}. The rate limit on requests limits the number of waiting transactions.`,
        atLimit: `A transaction that takes longer than ${seconds(transactionMsMax)} is rolled back and returns 500 \`internal\`. Waiting transactions are not rejected.`,
        code: ['store/sql/turns-for-statements.ts', 'store/sql/transaction-time-limit.ts'],
      },
      {
        resource: 'Password attempts and hashes (scrypt)',
        total: 'A few concurrent hashes. A hash uses a thread of libuv’s pool and 128 MiB.',
        share: `${guesses('password', 'Password attempts')} Passwords are hashed in turn by network, and browsers that have signed in before have a separate queue. After each failed attempt, the next attempt for the account waits longer.`,
        atLimit: '429 `rate_limited`',
        code: ['domain/people/hash-and-check-passwords.ts', 'http/control-plane-rate-limiter.ts'],
      },
      {
        resource: 'Codes of device sign-ins',
        total: '-',
        share: guesses('userCode', 'Entered codes'),
        atLimit: '429 `rate_limited`',
        code: ['http/control-plane-rate-limiter.ts'],
      },
      {
        resource: 'Starts of device sign-ins',
        total: `${count(liveMax)} codes can be pending in the whole store.`,
        share: `${guesses('deviceSignIn', 'New sign-ins')} The limits on networks without an earlier sign-in do not affect other networks.`,
        atLimit: '429 `rate_limited`',
        code: ['http/control-plane-rate-limiter.ts', 'operations/deviceAuth/start.ts'],
      },
      {
        resource: 'Provider probes',
        total: '-',
        share: guesses('providerCredential', 'Provider probes'),
        atLimit: '429 `rate_limited`',
        code: ['http/control-plane-rate-limiter.ts', 'providers/account-probe.ts'],
      },
      {
        resource: 'Readers of `requests.tail`',
        total: `${count(readersInAllMaxDefault)} readers`,
        share: `An organization can have ${readersMaxDefault} readers. At most ${bytes(waitingCharactersMax)} of text waits for a reader, and ${count(heldMax)} requests for all readers of an application.`,
        atLimit:
          '429 `too_many_readers`. If the total is reached, the organization with the most readers loses its newest reader to an organization with fewer readers. A client that reads nothing is disconnected.',
        code: ['tail/send-ended-calls-to-readers.ts', 'tail/tail-reader.ts'],
      },
      {
        resource: 'Streamed responses (`usage.export`)',
        total: '-',
        share: `The server reads a page of the export after the client has received the previous page, within the organization’s limit on reads. A client that reads nothing for ${seconds(streamLimits.stallMs)} is disconnected.`,
        atLimit: 'The connection of a client that reads nothing is closed.',
        code: ['http/streamed-response.ts'],
      },
      {
        resource: 'Demo tier',
        total: `Each demo tenant can have ${mintedKeysMax} keys.`,
        share:
          'No limit per caller, because all callers use the same demo tenants. The rate limit of a credential applies to each address.',
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
        total: 'DNS lookups have no common limit, because a lookup needs only a timer.',
        share: `An organization can have ${lookUpsMax} concurrent DNS lookups and ${count(namesWaitingMax)} waiting lookups.`,
        atLimit: 'A request returns 502 `upstream_error`. A delivery of events fails and is tried again.',
        code: ['providers/name-resolver.ts'],
      },
      {
        resource: 'Sockets to providers',
        total: `${count(connectionLimits.accountsMax)} provider accounts keep open connections.`,
        share: `An organization can have ${count(connectionLimits.ofOrganization.connectionsMax)} sockets, but at most a quarter of the file descriptors. A provider account can have ${count(connectionLimits.connectionsMax)} sockets. ${count(connectionLimits.ofOrganization.waitingMax)} requests of an organization can wait for a connection, and ${count(connectionLimits.accountsOfOrganizationMax)} accounts of an organization keep connections. Accounts do not share connections.`,
        atLimit:
          'The request waits for a connection until its deadline, and then returns 504 `upstream_timeout`. If too many requests of the organization wait, further requests return 429 `rate_limited`.',
        code: [
          'providers/send-calls-to-provider.ts',
          'providers/connection-limit-of-organization.ts',
          'providers/connection-pool.ts',
        ],
      },
      {
        resource: 'Requests to the server itself',
        total: '-',
        share:
          'No requests. The server rejects its own hosts and ports when an address is saved and when a connection is made. If a proxy drops `CDN-Loop`, the number of sockets to providers limits a loop.',
        atLimit: '508 `request_loop` for a request with the ID of this installation in `CDN-Loop`',
        code: ['domain/network/detect-request-loops.ts', 'providers/outbound-guard.ts'],
      },
      {
        resource: 'Queues of emitters',
        total: '-',
        share: `An application can have ${emittersMax} emitters in each mode. An emitter sends one request at a time with up to ${eventsMax} events, while up to ${count(eventQueueMax)} events wait.`,
        atLimit:
          'Further events of the emitter are dropped and counted. Dropped events can be replayed from the records.',
        code: ['emitters/deliver-events-of-emitter.ts'],
      },
    ],
  },
  {
    title: 'The process',
    resources: [
      {
        resource: 'File descriptors',
        total:
          'The number of file descriptors that the system allows (`ulimit -n`). Half of the file descriptors are for clients’ connections at each port (`TOLLGATE_CONNECTIONS_MAX`).',
        share: `Connections without a request belong to no tenant and have no limit per tenant. The number of sockets to providers limits the requests in flight of an organization. A client must send the headers (up to ${bytes(headLimits.bytesMax)} and ${headLimits.fieldsMax} fields) within ${seconds(connectionTimes.headersTimeout)}, the whole request within ${seconds(connectionTimes.requestTimeout)}, and the next request within ${seconds(connectionTimes.keepAliveTimeout)}.`,
        atLimit:
          'The server closes the connection. To limit connections by address, use a proxy in front of the server.',
        code: ['http/dispatch-requests-by-host.ts'],
      },
      {
        resource: 'Log lines',
        total: 'Log lines have no common limit, because the server does not wait for the disk.',
        share: `Log lines of an organization in a second: ${callLines.linesMax} about requests and ${warningLines.linesMax} about provider failures. \`TOLLGATE_LOG_CALLS\` sets the share of successful requests that are logged.`,
        atLimit: 'Log lines are omitted. The next line reports the number of omitted lines as `suppressed`.',
        code: ['app/server-log.ts', 'telemetry/log-line-limit.ts', 'telemetry/report-ended-calls.ts'],
      },
      {
        resource: 'Labels of metrics',
        total: `${labelLimits.applicationsMax} applications, ${labelLimits.modelsMax} models and ${labelLimits.accountsMax} accounts can have labels.`,
        share: 'No limit per tenant. The applications, models and accounts that are used first get a label.',
        atLimit: 'Further applications, models and accounts are counted under the label `other`.',
        code: ['telemetry/call-metrics.ts'],
      },
      {
        resource: 'Memory for rate limits',
        total: `The server counts the requests of ${count(namesMax)} callers for each rate limit.`,
        share: 'No limit per tenant.',
        atLimit: 'The server forgets the callers that were inactive for the longest time.',
        code: ['http/control-plane-rate-limiter.ts'],
      },
    ],
  },
]

const titles = ['Resource', 'Limit of all tenants', 'Limit of one tenant', 'Effect at the limit', 'Code']

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
