import { readFileSync, statSync } from 'node:fs'
import { Resolver, type LookupAddress } from 'node:dns'
import { isIP } from 'node:net'

/** Looks up a name and passes all of its addresses to the callback, which is called once. */
export type Resolve = (
  hostname: string,
  callback: (error: Error | null, addresses: LookupAddress[]) => void,
) => void

export interface NameResolverOptions {
  /** DNS servers, `address:port`. Defaults to those of the system. */
  readonly servers?: readonly string[]
  /** Time for one attempt; each query has two. */
  readonly timeoutMs?: number
  readonly hostsFile?: string
  readonly resolverFile?: string
  readonly monotonicMs?: () => number
}

/** Names that one organization may have in flight; further ones wait for these to end. */
export const lookUpsMax = 8
/** Names of one organization that may wait; more than this fails immediately. */
export const waitingMax = 1_000
/** How long a failed look-up answers for the same name. */
const failureKeptMs = 5_000
/** Failures that are remembered; the oldest is forgotten first. */
const failuresMax = 10_000
/** After the first answer, the other address family gets this long (RFC 8305, "Resolution Delay"). */
const otherFamilyMs = 50
/** How long the hosts file and the resolver file are trusted before their time stamps are read again. */
const filesKeptMs = 5_000

/**
 * Resolves the names that customers give: hosts of provider accounts and of webhooks.
 *
 * `dns.lookup` runs on libuv's thread pool, whose few threads all organizations share: a zone that never answers
 * occupies one for ten seconds, and a handful of them stop every new connection of the process. This resolver asks
 * the DNS servers over its own sockets (c-ares), so a silent zone costs a timer.
 *
 * - Each name has one look-up in flight for each organization, and every caller shares its result.
 * - A failure is remembered for five seconds. A success is not: each connection asks again, so that the address that
 *   the outbound guard judges is current.
 * - Each organization has eight look-ups in flight at most. Its other names wait in line; nobody else's do.
 *
 * The hosts file, `localhost` and the search list of resolv.conf work as they do for other programs. Other name
 * services of the system (mDNS, NIS) do not take part.
 */
export class NameResolver {
  readonly #options: Required<Pick<NameResolverOptions, 'timeoutMs' | 'monotonicMs'>> & NameResolverOptions
  readonly #shares = new Map<string, Share>()
  readonly #failures = new Map<string, { readonly error: Error; readonly untilMs: number }>()
  #system: SystemNames | null = null

  constructor(options: NameResolverOptions = {}) {
    this.#options = { timeoutMs: 2_000, monotonicMs: () => performance.now(), ...options }
  }

  /** Look-ups in flight or waiting, of all organizations. */
  get active(): number {
    let active = 0
    for (const { line, running } of this.#shares.values()) active += running + line.length
    return active
  }

  /** Resolves names for one organization, within its share. */
  of(organizationId: string): Resolve {
    return (hostname, callback) => {
      const name = hostname.toLowerCase()
      const known = this.#known(name)
      if (known !== null) return void setImmediate(callback, known.error, known.addresses)
      this.#enter(organizationId, name, callback)
    }
  }

  /** The addresses of a name that needs no query, or a recent failure; null if it must be looked up. */
  #known(name: string): { error: Error | null; addresses: LookupAddress[] } | null {
    const literal = isIP(name)
    if (literal !== 0) return { error: null, addresses: [{ address: name, family: literal }] }
    const local = this.#names().hosts.get(name) ?? loopbackOf(name)
    if (local !== null) return { error: null, addresses: local }
    // RFC 6761, section 6.4: such a name does not exist, whatever a server says.
    if (name.endsWith('.invalid')) return { error: noSuchName(name), addresses: [] }
    const failure = this.#failures.get(name)
    if (failure === undefined) return null
    if (failure.untilMs > this.#options.monotonicMs()) return { error: failure.error, addresses: [] }
    this.#failures.delete(name)
    return null
  }

  #enter(organizationId: string, name: string, callback: Callback): void {
    let share = this.#shares.get(organizationId)
    if (share === undefined)
      this.#shares.set(organizationId, (share = { running: 0, line: [], callbacks: new Map() }))
    const joined = share.callbacks.get(name)
    if (joined !== undefined) return void joined.push(callback)
    if (share.line.length >= waitingMax) {
      const error = new Error(`look up ${name}: ${waitingMax} other names of this organization are waiting`)
      return void setImmediate(callback, error, [])
    }
    share.callbacks.set(name, [callback])
    if (share.running >= lookUpsMax) share.line.push(name)
    else this.#start(organizationId, share, name)
  }

  #start(organizationId: string, share: Share, name: string): void {
    share.running += 1
    this.#query(name, (error, addresses) => {
      share.running -= 1
      if (error !== null) this.#keepFailure(name, error)
      const callbacks = share.callbacks.get(name) ?? []
      share.callbacks.delete(name)
      const next = share.line.shift()
      if (next !== undefined) this.#start(organizationId, share, next)
      else if (share.running === 0) this.#shares.delete(organizationId)
      for (const callback of callbacks) callback(error, addresses)
    })
  }

  #keepFailure(name: string, error: Error): void {
    this.#failures.delete(name)
    if (this.#failures.size >= failuresMax) {
      const [oldest] = this.#failures.keys()
      if (oldest !== undefined) this.#failures.delete(oldest)
    }
    this.#failures.set(name, { error, untilMs: this.#options.monotonicMs() + failureKeptMs })
  }

  /** Asks for both address families of each spelling of the name, until one has an address. */
  #query(name: string, done: Callback): void {
    const { resolver, search } = this.#names()
    const spellings = spellingsOf(name, search)
    const ask = (at: number): void => {
      const spelling = spellings[at]
      if (spelling === undefined) return done(noSuchName(name), [])
      bothFamilies(resolver, spelling, (error, addresses) => {
        if (addresses.length > 0) return done(null, addresses)
        // A zone that is silent is not asked again under another spelling.
        if (error !== null && !hasNoAddress(error)) return done(error, [])
        ask(at + 1)
      })
    }
    ask(0)
  }

  /** The system's files, read again when they have changed: networks change while a server runs. */
  #names(): SystemNames {
    const {
      hostsFile = '/etc/hosts',
      monotonicMs,
      resolverFile = '/etc/resolv.conf',
      servers,
      timeoutMs,
    } = this.#options
    const nowMs = monotonicMs()
    if (this.#system !== null && nowMs - this.#system.readAtMs < filesKeptMs) return this.#system
    const stamp = `${stampOf(hostsFile)} ${stampOf(resolverFile)}`
    if (this.#system?.stamp === stamp) return (this.#system = { ...this.#system, readAtMs: nowMs })
    const resolver = new Resolver({ timeout: timeoutMs, tries: 2 })
    if (servers !== undefined) resolver.setServers(servers)
    return (this.#system = {
      readAtMs: nowMs,
      stamp,
      resolver,
      hosts: hostsOf(textOf(hostsFile)),
      search: searchOf(textOf(resolverFile)),
    })
  }
}

type Callback = Parameters<Resolve>[1]

/** With the code that the system's own look-up gives, by which the cause is told. */
function noSuchName(name: string): Error {
  return Object.assign(new Error(`look up ${name}: no such name`), { code: 'ENOTFOUND' })
}

/** The look-ups of one organization. */
interface Share {
  running: number
  /** Names that wait, oldest first. */
  readonly line: string[]
  /** Who waits for a name, in flight or in line. */
  readonly callbacks: Map<string, Callback[]>
}

interface SystemNames {
  readonly readAtMs: number
  /** Changes with the files. */
  readonly stamp: string
  readonly resolver: Resolver
  readonly hosts: ReadonlyMap<string, LookupAddress[]>
  readonly search: readonly string[]
}

function bothFamilies(resolver: Resolver, name: string, done: Callback): void {
  const found: LookupAddress[] = []
  let open = 2
  let failure: Error | null = null
  let timer: NodeJS.Timeout | null = null
  let isDone = false
  const finish = (): void => {
    if (isDone) return
    isDone = true
    if (timer !== null) clearTimeout(timer)
    // IPv4 first: a host without IPv6 is more common than one without IPv4.
    done(
      found.length > 0 ? null : failure,
      found.toSorted((one, other) => one.family - other.family),
    )
  }
  const answered = (family: 4 | 6) => (error: Error | null, addresses?: string[]) => {
    if (isDone) return
    open -= 1
    for (const address of error === null ? (addresses ?? []) : []) found.push({ address, family })
    if (error !== null && (failure === null || !hasNoAddress(error))) failure = error
    if (open === 0) return finish()
    if (found.length > 0) timer = setTimeout(finish, otherFamilyMs)
  }
  resolver.resolve4(name, answered(4))
  resolver.resolve6(name, answered(6))
}

/** Whether the zone answered that there is no such name, or no such address. */
function hasNoAddress(error: Error): boolean {
  const code = 'code' in error ? error.code : undefined
  return code === 'ENOTFOUND' || code === 'ENODATA' || code === 'EBADNAME'
}

/** The name as given, with the search list before it if it has no dot and behind it otherwise. */
function spellingsOf(name: string, search: readonly string[]): readonly string[] {
  const longer = search.map((domain) => `${name}.${domain}`)
  return name.includes('.') ? [name, ...longer] : [...longer, name]
}

/** RFC 6761: `localhost` and every name under it is the loopback, without a query. */
function loopbackOf(name: string): LookupAddress[] | null {
  if (name !== 'localhost' && !name.endsWith('.localhost')) return null
  return [
    { address: '127.0.0.1', family: 4 },
    { address: '::1', family: 6 },
  ]
}

function hostsOf(text: string): Map<string, LookupAddress[]> {
  const hosts = new Map<string, LookupAddress[]>()
  for (const line of text.split('\n')) {
    const [address = '', ...names] = (line.split('#')[0] ?? '').trim().split(/\s+/)
    const family = isIP(address)
    if (family === 0) continue
    for (const name of names) {
      const key = name.toLowerCase()
      const known = hosts.get(key) ?? []
      if (!known.some((each) => each.address === address)) hosts.set(key, [...known, { address, family }])
    }
  }
  return hosts
}

/** The search list of resolv.conf: the last `search` or `domain` line counts. */
function searchOf(text: string): readonly string[] {
  let search: readonly string[] = []
  for (const line of text.split('\n')) {
    const [word, ...domains] = line.trim().split(/\s+/)
    if (word === 'search' || word === 'domain') search = domains.filter((domain) => domain !== '.')
  }
  return search.map((domain) => domain.replace(/\.$/, ''))
}

function stampOf(file: string): string {
  const found = statSync(file, { throwIfNoEntry: false })
  return found === undefined ? 'none' : `${found.mtimeMs} ${found.size}`
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}
