/**
 * A model of a distributed database that is too large for a test: 100 nodes, 1,000 server processes and 10^9 end users.
 * Costs come from `npm run bench -- --only scale`. All other inputs are assumptions, which the result contains.
 *
 * A process has one ledger connection for each shard. With many processes and shards, each batch has only a few
 * operations. The cost of a request then approaches the cost of two batches with one operation each. With `size`
 * operations in a batch, the cost is `perBatch * operations / size + perRequest`.
 */
import { rounded } from './statistics.ts'

/** CPU time on a node, in microseconds, from two measured loads with different batch sizes. */
export interface NodeCosts {
  readonly perBatch: number
  readonly perRequest: number
}

export interface Assumptions {
  /** Length of the simulated time, in which the rate rises and falls once. */
  readonly seconds: number
  readonly nodes: number
  readonly coresPerNode: number
  readonly shards: number
  readonly processes: number
  readonly endUsers: number
  /** Mean over the day. The rate follows a sine curve around this mean. */
  readonly requestsPerSecond: number
  /** A request needs two operations: reserve and settle. */
  readonly operationsPerRequest: number
  /** Rate at the peak of the day, divided by the mean. */
  readonly peak: number
  /**
   * Number of end users with the most requests. Their shares are proportional to 1/(rank + 10), a Zipf distribution.
   */
  readonly hotEndUsers: number
  /** Share of all requests that the hot end users send. */
  readonly hotShare: number
  /** Maximum rate of one end user, whose requests all change the same row. */
  readonly endUserMax: number
  /**
   * Each ledger connection commits one batch at a time. The operations that arrive during a commit belong to the next
   * batch.
   */
  readonly commitMs: number
  /** Mean time between failures of a node. */
  readonly failureDays: number
  /** Time until a standby has replaced a failed node. */
  readonly failoverSeconds: number
  /** A node is added at this second, and shards move to it one by one. */
  readonly addedAtSecond: number
  readonly bytesPerEndUser: number
  readonly copyBytesPerSecond: number
  /** Time for which writes to a moving shard wait at the end of the copy. */
  readonly blockedSeconds: number
  /** Share of a node's CPU time that a copy needs. */
  readonly copyShare: number
  readonly seed: number
}

export const assumptions: Assumptions = {
  seconds: 86_400,
  nodes: 100,
  coresPerNode: 8,
  shards: 400,
  processes: 1_000,
  endUsers: 1_000_000_000,
  requestsPerSecond: 20_000,
  operationsPerRequest: 2,
  peak: 1.8,
  hotEndUsers: 100_000,
  hotShare: 0.2,
  endUserMax: 2_000,
  commitMs: 3,
  failureDays: 30,
  failoverSeconds: 30,
  addedAtSecond: 3_600,
  bytesPerEndUser: 2_000,
  copyBytesPerSecond: 50_000_000,
  blockedSeconds: 2,
  copyShare: 0.1,
  seed: 1,
}

export interface ModelFigures {
  readonly assumptions: Assumptions
  readonly costs: NodeCosts
  readonly ledgerConnectionsPerNode: number
  readonly operationsPerBatchAtPeak: number
  /** Above 1, requests have to wait. */
  readonly busiestNode: { readonly mean: number; readonly max: number }
  readonly allNodes: { readonly mean: number }
  readonly requests: {
    readonly sent: number
    readonly served: number
    /** Rejected with 503 because the node of the end user has failed. */
    readonly nodeFailed: number
    /** Rejected with 429 because one end user sends too many requests for one row. */
    readonly tooHot: number
    /** Rejected with 503 because the node has no CPU time left. */
    readonly overloaded: number
    /** Delayed for up to `blockedSeconds`, because their shard moved. Delayed requests are also served. */
    readonly delayedByMove: number
  }
  readonly failures: number
  readonly shardsMoved: number
}

export function simulate(costs: NodeCosts, assumed: Assumptions = assumptions): ModelFigures {
  const random = randomOf(assumed.seed)
  const { coresPerNode, failureDays, failoverSeconds, nodes, peak, processes, shards } = assumed
  const { requestsPerSecond, seconds } = assumed
  const weights = shardWeights(assumed, random)
  const nodeOf = Array.from({ length: shards }, (_, shard) => shard % nodes)
  const downUntil = zeros(nodes + 1)
  const moves = movesOf(assumed, nodeOf)
  const counted = { sent: 0, served: 0, nodeFailed: 0, tooHot: 0, overloaded: 0, delayedByMove: 0 }
  let [failures, shardsMoved, sumOfBusiest, maxBusiest, sumOfAll] = [0, 0, 0, 0, 0]
  const capacityMicros = coresPerNode * 1e6
  for (let second = 0; second < seconds; second++) {
    const rate = requestsPerSecond * (1 + (peak - 1) * Math.sin((2 * Math.PI * second) / seconds))
    const [move] = moves
    const isMoving = move !== undefined && second >= move.startsAt
    if (isMoving && second >= move.endsAt) {
      nodeOf[move.shard] = nodes
      shardsMoved += 1
      moves.shift()
    }
    const busy = zeros(nodes + 1)
    const wanted = zeros(nodes + 1)
    if (isMoving) for (const node of [move.from, nodes]) busy[node] = assumed.copyShare * capacityMicros
    for (const [shard, { hottest, share }] of weights.entries()) {
      const sent = poisson(rate * share, random)
      const tooHot = Math.min(sent, Math.max(0, Math.round(rate * hottest - assumed.endUserMax)))
      counted.sent += sent
      counted.tooHot += tooHot
      const node = nodeOf[shard] ?? 0
      if (second < (downUntil[node] ?? 0)) {
        counted.nodeFailed += sent - tooHot
        continue
      }
      if (isMoving && move.shard === shard && second >= move.endsAt - assumed.blockedSeconds)
        counted.delayedByMove += sent - tooHot
      wanted[node] = (wanted[node] ?? 0) + sent - tooHot
      busy[node] = (busy[node] ?? 0) + (sent - tooHot) * costOf(costs, rate * share, assumed)
    }
    for (const [node, micros] of busy.entries()) {
      const ofNode = wanted[node] ?? 0
      const served = micros > capacityMicros ? Math.floor((ofNode * capacityMicros) / micros) : ofNode
      counted.served += served
      counted.overloaded += ofNode - served
    }
    const busiest = Math.max(...busy) / capacityMicros
    sumOfBusiest += busiest
    maxBusiest = Math.max(maxBusiest, busiest)
    sumOfAll += busy.reduce((sum, micros) => sum + micros, 0) / capacityMicros / nodes
    for (let node = 0; node < nodes; node++) {
      if (second < (downUntil[node] ?? 0) || random() >= 1 / (failureDays * 86_400)) continue
      downUntil[node] = second + 1 + failoverSeconds
      failures += 1
    }
  }
  return {
    assumptions: assumed,
    costs,
    ledgerConnectionsPerNode: Math.ceil((processes * shards) / nodes),
    operationsPerBatchAtPeak: rounded(batchSize((requestsPerSecond * peak) / shards, assumed)),
    busiestNode: { mean: rounded(sumOfBusiest / seconds), max: rounded(maxBusiest) },
    allNodes: { mean: rounded(sumOfAll / seconds) },
    requests: counted,
    failures,
    shardsMoved,
  }
}

/**
 * Returns the costs from two measured loads: the CPU time of the nodes in microseconds, and the number of batches, both
 * per request.
 * @throws Error if the loads have the same batch size
 */
export function costsOf(
  loads: readonly { readonly nodeMicros: number; readonly batches: number }[],
): NodeCosts {
  const [few, many] = loads.toSorted((one, other) => one.batches - other.batches)
  if (few === undefined || many === undefined || few.batches === many.batches)
    throw new Error('the costs of a batch need two loads with different numbers of requests in a batch')
  const perBatch = Math.max(0, (many.nodeMicros - few.nodeMicros) / (many.batches - few.batches))
  return {
    perBatch: rounded(perBatch),
    perRequest: rounded(Math.max(0, few.nodeMicros - perBatch * few.batches)),
  }
}

function zeros(length: number): number[] {
  return Array.from({ length }, () => 0)
}

/** CPU time in microseconds for a request of a shard with this rate. */
function costOf({ perBatch, perRequest }: NodeCosts, ratePerShard: number, assumed: Assumptions): number {
  return (perBatch * assumed.operationsPerRequest) / batchSize(ratePerShard, assumed) + perRequest
}

/**
 * A batch contains the first operation, and the operations that arrive at its ledger connection during the previous
 * commit.
 */
function batchSize(ratePerShard: number, assumed: Assumptions): number {
  const { commitMs, operationsPerRequest, processes } = assumed
  return 1 + ((ratePerShard * operationsPerRequest) / processes) * (commitMs / 1000)
}

interface ShardWeight {
  readonly share: number
  readonly hottest: number
}

/**
 * End users with many requests are assigned to shards one by one. All other end users are spread evenly, because there
 * are so many of them.
 */
function shardWeights({ hotEndUsers, hotShare, shards }: Assumptions, random: () => number): ShardWeight[] {
  const even = (1 - hotShare) / shards
  const weights = Array.from({ length: shards }, () => ({ share: even, hottest: 0 }))
  let sum = 0
  for (let rank = 0; rank < hotEndUsers; rank++) sum += 1 / (rank + 10)
  for (let rank = 0; rank < hotEndUsers; rank++) {
    const weight = weights[Math.floor(random() * shards)]
    if (weight === undefined) continue
    const share = hotShare / (rank + 10) / sum
    weight.share += share
    weight.hottest = Math.max(weight.hottest, share)
  }
  return weights
}

interface Move {
  readonly shard: number
  readonly from: number
  readonly startsAt: number
  readonly endsAt: number
}

/** The added node receives its share of the shards, one shard after the other. */
function movesOf(assumed: Assumptions, nodeOf: readonly number[]): Move[] {
  const { addedAtSecond, bytesPerEndUser, copyBytesPerSecond, endUsers, nodes, seconds, shards } = assumed
  const copySeconds = Math.ceil((endUsers / shards) * (bytesPerEndUser / copyBytesPerSecond))
  return Array.from({ length: Math.floor(shards / (nodes + 1)) }, (_, at) => ({
    shard: at,
    from: nodeOf[at] ?? 0,
    startsAt: addedAtSecond + at * copySeconds,
    endsAt: addedAtSecond + (at + 1) * copySeconds,
  })).filter(({ endsAt }) => endsAt < seconds)
}

/**
 * Uses the normal distribution if the mean is large (Box and Muller 1958), and otherwise Knuth's product of uniform
 * numbers.
 */
function poisson(mean: number, random: () => number): number {
  if (mean > 30) {
    const normal = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())
    return Math.max(0, Math.round(mean + Math.sqrt(mean) * normal))
  }
  const end = Math.exp(-mean)
  let count = -1
  for (let product = 1; product > end; product *= random()) count += 1
  return count
}

/** Mulberry32, so a seed always gives the same day. */
function randomOf(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let bits = Math.imul(state ^ (state >>> 15), state | 1)
    bits ^= bits + Math.imul(bits ^ (bits >>> 7), bits | 61)
    return ((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32
  }
}
