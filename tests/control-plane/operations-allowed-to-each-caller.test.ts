/**
 * Calls every operation with every identity, on objects of the caller and of others (threats 1, 8 and 21, and
 * docs/reference/threats.md "IDs of other organizations"). The operation's declaration alone determines the allowed
 * calls. A rejected request writes nothing to the store.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isRoleAtLeast, roles, type Role } from '#domain/people/team-roles.ts'
import { makeSecret } from '#domain/secrets/key-and-token-format.ts'
import { operations } from '#operations/index.ts'
import { nounOf } from '#operations/kernel/list-of-nouns.ts'
import type { Operation } from '#operations/kernel/declare-operation.ts'
import { openControl, type CallOptions, type Control } from '../support/control-plane-without-socket.ts'
import { commitsOf, Rehearsal } from '../support/roll-back-each-write.ts'
import {
  callerOf,
  filled,
  sampleOf,
  send,
  type Filled,
  type Sample,
} from '../support/valid-request-of-every-operation.ts'
import { isLong } from '../support/reduced-suite.ts'

/**
 * Most requests contain IDs of `acme`. `beta` is an empty application of the same organization. `gamma` belongs to
 * another organization and has objects with the same names. `delta` is an empty application of a third organization.
 */
let control: Control
let acme: Filled
let gamma: Filled
const credentials = new Map<string, Pick<CallOptions, 'token' | 'session'>>()
/** No response to another organization may contain these texts. */
let own: string[]
const rehearsal = new Rehearsal()

beforeAll(async () => {
  control = await openControl({ seenStore: rehearsal.seenStore })
  acme = await filled(control)
  await control.call('PUT', '/v1/apps/beta', { body: { name: 'Beta' } })
  for (const role of roles) credentials.set(role, await mint({ label: role, role }))
  for (const application of ['acme', 'beta'])
    credentials.set(application, await mint({ label: application, role: 'owner', application }))
  const second = await control.found('Second')
  credentials.set('gamma', { token: second })
  gamma = await filled(control, 'gamma', second)
  const third = await control.found('Third')
  credentials.set('delta', { token: third })
  await control.call('PUT', '/v1/apps/delta', { token: third, body: { name: 'Delta' } })
  const { secret } = makeSecret({ kind: 'sk', code: 'nobody', isTest: false }, () => 7)
  credentials.set('nobody', { token: null })
  credentials.set('unknown', { token: secret })
  const email = 'holder@acme.example.com'
  const key = await control.call('POST', '/v1/keys', { app: 'acme', body: { endUserId: 'holder', email } })
  credentials.set('ak_', { token: key.body.key })
  credentials.set('owner of acme', { session: acme.owner })
  credentials.set('owner of gamma', { session: gamma.owner })
  credentials.set('person of acme', { token: acme.portalSession })
  credentials.set('person of gamma', { token: gamma.portalSession })
  const person = await control.call('GET', '/v1/end-users/user-1', { app: 'acme' })
  const account = await control.call('GET', '/v1/providers/main')
  const ids = Object.values(acme).filter((id) => typeof id === 'string')
  own = [...ids, control.organizationId, person.body.id, account.body.id, email]
  // The store records the first use of a token, so the test uses each token once before it compares the stored data.
  for (const credential of credentials.values()) await control.call('GET', '/v1/whoami', credential)
})
afterAll(() => control.close())

async function mint(body: object): Promise<{ token: string }> {
  const made = await control.call('POST', '/v1/application-keys', { body })
  expect(made.status, made.text).toBe(200)
  return { token: made.body.token }
}

type Expected = readonly [status: number, code?: string]

interface Cell {
  /** The key in `credentials` that the request is sent with. */
  readonly who: string
  /** Null if the request has no `x-svc-app` header. */
  readonly app: string | null
  readonly ids: 'acme' | 'gamma'
  /** Null means that the operation accepts the request, but returns no objects of `acme`. */
  readonly expected: Expected | null
}

const ok: Expected = [200]
const notFound: Expected = [404, 'not_found']
const notBuilt: Expected = [501, 'not_implemented']

const wrongKind: Expected = [401, 'wrong_credential_kind']
const roleRequired: Expected = [403, 'role_required']

/**
 * Operations whose sample uses objects of another member or token. A request of this table requires a higher role than
 * the operation itself. Other roles receive the error that is listed here.
 */
const neededBySample: Readonly<Record<string, { readonly role: Role; readonly refusal: Expected }>> = {
  'passkeys.list': { role: 'admin', refusal: roleRequired },
  'passkeys.rename': { role: 'owner', refusal: notFound },
  'passkeys.rm': { role: 'owner', refusal: notFound },
  'sessions.end': { role: 'admin', refusal: notFound },
  'sessions.list': { role: 'admin', refusal: roleRequired },
  'tokens.revoke': { role: 'admin', refusal: roleRequired },
}

/** In these operations, a token of one application finds only itself. The sample names another token. */
const findsOnlyItself = new Set(['tokens.revoke'])

/** Read operations that first apply due changes to an end user's pools. */
const bringsUpToDate = new Set(['portal.ledger'])

/** Operations that fail for a signed-in member, because they need a token. */
const ofTokens: Readonly<Record<string, Expected>> = { 'auth.token': [404, 'no_token_in_use'] }

/** Null if the operation accepts a token of this role. */
function refusalOf(
  { isForOneApplication, isForPeople, leastRole }: Operation,
  role: Role,
  isOfOne: boolean,
): Expected | null {
  if (!isRoleAtLeast(role, leastRole)) return roleRequired
  if (isOfOne && !isForOneApplication) return [403, 'organization_credential_required']
  return isForPeople ? [403, 'session_required'] : null
}

/** A PUT with a name creates the object, and the catalog is public, so these operations need no existing object. */
function looksUp(operation: Operation): boolean {
  const makes = operation.method === 'PUT' && operation.path.endsWith('}')
  return operation.path.includes('{') && !makes && nounOf(operation) !== 'catalog'
}

function cellsOf(operation: Operation): Cell[] {
  return operation.scope === 'end_user' ? cellsOfPerson(operation) : cellsOfTeam(operation)
}

function cellsOfPerson(operation: Operation): Cell[] {
  const another = differs(operation) ? notFound : null
  const without: Expected = [401, 'portal_session_required']
  const others = ['unknown', 'ak_', ...roles, 'acme', 'beta', 'gamma', 'delta']
  return [
    ...others.map((who): Cell => ({ who, app: 'acme', ids: 'acme', expected: wrongKind })),
    { who: 'nobody', app: 'acme', ids: 'acme', expected: without },
    { who: 'owner of acme', app: 'acme', ids: 'acme', expected: without },
    { who: 'person of acme', app: null, ids: 'acme', expected: ok },
    { who: 'person of acme', app: 'gamma', ids: 'gamma', expected: another },
    { who: 'person of gamma', app: 'acme', ids: 'acme', expected: another },
    { who: 'person of gamma', app: null, ids: 'gamma', expected: ok },
  ]
}

function cellsOfTeam(operation: Operation): Cell[] {
  const inApplication = operation.scope === 'application'
  const ofAll = (role: Role): Expected | null => refusalOf(operation, role, false)
  const onOwn = (role: Role): Expected => {
    const needed = neededBySample[operation.id]
    return needed && !isRoleAtLeast(role, needed.role) ? needed.refusal : ok
  }
  const ofOne = refusalOf(operation, 'owner', true) ?? (findsOnlyItself.has(operation.id) ? notFound : null)
  const absent = looksUp(operation) ? notFound : null
  const elsewhere = inApplication ? notFound : null
  const unknown: readonly (readonly [string, Expected])[] = [
    // Without a credential, the demo tier receives the request, and the demo tier has not implemented the path.
    ['nobody', operation.id === 'subscription.onDemand' ? notBuilt : [401, 'missing_credential']],
    ['unknown', [401, 'invalid_token']],
    ['ak_', wrongKind],
    ['person of acme', wrongKind],
  ]
  return [
    ...unknown.flatMap(([who, expected]): Cell[] => [
      { who, app: 'acme', ids: 'acme', expected },
      { who, app: 'gamma', ids: 'gamma', expected },
    ]),
    ...roles.flatMap((role): Cell[] => [
      { who: role, app: 'acme', ids: 'acme', expected: ofAll(role) ?? onOwn(role) },
      { who: role, app: 'gamma', ids: 'gamma', expected: ofAll(role) ?? elsewhere },
    ]),
    // The member is the owner of their own organization, but the IDs in the request belong to another organization.
    {
      who: 'owner',
      app: 'acme',
      ids: 'gamma',
      expected: ofAll('owner') ?? (differs(operation) ? absent : null),
    },
    { who: 'acme', app: 'acme', ids: 'acme', expected: ofOne ?? ok },
    { who: 'acme', app: null, ids: 'acme', expected: ofOne ?? ok },
    { who: 'acme', app: 'beta', ids: 'acme', expected: ofOne ?? (inApplication ? notFound : ok) },
    // The request names another application of the same organization. Objects that all applications share also belong
    // to the other application.
    { who: 'beta', app: 'acme', ids: 'acme', expected: ofOne ?? elsewhere },
    { who: 'beta', app: null, ids: 'acme', expected: ofOne ?? (inApplication ? absent : null) },
    {
      who: 'delta',
      app: 'acme',
      ids: 'acme',
      expected: ofAll('owner') ?? (inApplication ? notFound : absent),
    },
    { who: 'delta', app: 'delta', ids: 'acme', expected: ofAll('owner') ?? absent },
    { who: 'gamma', app: 'acme', ids: 'acme', expected: ofAll('owner') ?? elsewhere },
    { who: 'gamma', app: 'gamma', ids: 'gamma', expected: ofAll('owner') ?? ok },
    { who: 'owner of acme', app: 'acme', ids: 'acme', expected: ofTokens[operation.id] ?? ok },
    { who: 'owner of acme', app: 'gamma', ids: 'gamma', expected: elsewhere },
    { who: 'owner of gamma', app: 'acme', ids: 'acme', expected: elsewhere },
    { who: 'owner of gamma', app: 'gamma', ids: 'acme', expected: differs(operation) ? absent : null },
  ]
}

/** Whether the path of the operation's sample has a different ID in each application. */
function differs(operation: Operation): boolean {
  const [one, other] = [sampleIn(operation, 'acme'), sampleIn(operation, 'gamma')]
  return JSON.stringify(one.path) !== JSON.stringify(other.path)
}

/** All applications use the same names, except for their own slugs. */
function sampleIn(operation: Operation, slug: 'acme' | 'gamma'): Sample {
  const sample = sampleOf(operation, slug === 'acme' ? acme : gamma)
  if (slug === 'acme' || nounOf(operation) !== 'apps' || sample.path?.['slug'] !== 'acme') return sample
  return { ...sample, path: { ...sample.path, slug } }
}

/** The error for a rejected request may repeat parts of the request, but must contain no other data. */
function expectNothingOfFirst(text: string, asked: Sample): void {
  const said = JSON.stringify(asked)
  for (const secret of own) if (!said.includes(secret)) expect(text).not.toContain(secret)
}

const ofFirst = new Set([...roles, 'acme', 'beta', 'owner of acme', 'person of acme'])

describe('threats 1, 8 and 21: calls by every identity', () => {
  for (const operation of operations) {
    if (operation.scope === 'public') continue
    it(`${operation.id} allows only permitted callers, on their own objects`, async () => {
      for (const { app, expected, ids, who } of cellsOf(operation)) {
        const about = `${operation.id} by ${who} in ${app ?? 'no application'} on ids of ${ids}`
        const before = await commitsOf(control)
        const sample = sampleIn(operation, ids)
        const { session: _, token: __, ...request } = sample
        const options = { ...credentials.get(who), ...(app !== null && { app }) }
        rehearsal.undoesNext = true
        const answer = await send(control, operation, request, options)
        rehearsal.undoesNext = false
        const given = [answer.status, ...(answer.status === 200 ? [] : [answer.body.error.code])]
        if (expected) expect(given, `${about}: ${answer.text}`).toEqual(expected)
        const mayWrite = operation.method !== 'GET' || bringsUpToDate.has(operation.id)
        if (!mayWrite || answer.status !== 200)
          expect(await commitsOf(control), `${about} wrote`).toBe(before)
        if (!ofFirst.has(who)) expectNothingOfFirst(answer.text, sample)
      }
    })
  }

  it('the expected results contain every kind of rejection', () => {
    const cells = operations.filter(({ scope }) => scope !== 'public').flatMap(cellsOf)
    const codes = new Set(cells.map(({ expected }) => expected?.[1]))
    for (const code of [
      'missing_credential',
      'invalid_token',
      'wrong_credential_kind',
      'role_required',
      'organization_credential_required',
      'session_required',
      'portal_session_required',
      'not_found',
    ]) {
      expect(codes).toContain(code)
    }
  })

  it('the tests above detect a write by a changed number of commits', async () => {
    const before = await commitsOf(control)
    await control.found('Fourth')
    expect(await commitsOf(control)).not.toBe(before)
  })

  it('a caller who may not read a call in flight gets a 404 for it', async () => {
    const { openCallId } = acme
    const delta = credentials.get('delta') ?? {}
    const answer = await control.call('GET', `/v1/requests/req_${openCallId}`, delta)
    expect([answer.status, answer.body.error.code]).toEqual(notFound)
  })
})

async function world(): Promise<string> {
  const answers = []
  for (const operation of operations) {
    if (operation.method !== 'GET' || operation.scope === 'public') continue
    const answer = await send(control, operation, sampleOf(operation, acme), { app: 'acme' })
    expect(answer.status).toBe(200)
    answers.push(answer.text)
  }
  return answers.join('\n')
}

describe('threat 8: another organization with objects of the same names', () => {
  const changes = operations.filter(({ method, scope }) => scope !== 'public' && method !== 'GET')
  /** Removals run last, because they could delete data that other changes need. */
  const isRemoval = ({ method }: Operation): number => Number(method === 'DELETE')
  /**
   * Two steps take most of the time, so `npm test` does them once for several changes: reading the first organization's
   * data, and creating an organization. Opposite operations that are neighbors, like `users.freeze` and
   * `users.unfreeze`, are in different groups, because the second could undo the first.
   */
  const groupsCount = isLong ? changes.length : 12
  let count = 0
  /**
   * The first organization's data after the previous test, so that changes during the creation of the next objects are
   * also detected.
   */
  let seen: string | null = null

  async function another(): Promise<(operation: Operation) => Promise<void>> {
    count += 1
    const slug = `same-${count}`
    const token = await control.found(`Same ${count}`)
    const ids = await filled(control, slug, token)
    return async (operation) => {
      const sample = sampleOf(operation, ids)
      const isOfApplication = nounOf(operation) === 'apps' && sample.path?.['slug'] === 'acme'
      const theirs = isOfApplication ? { ...sample, path: { ...sample.path, slug } } : sample
      const isOfTeam = Object.keys(callerOf(sample)).length === 0
      const answer = await send(control, operation, theirs, { ...(isOfTeam && { token }), app: slug })
      expect(answer.status, `${operation.id}: ${answer.text}`).toBe(200)
    }
  }

  for (let group = 0; group < groupsCount; group++) {
    const grouped = changes.filter((_, at) => at % groupsCount === group)
    const names = grouped.map(({ id }) => id).join(', ')
    it(`another organization cannot change objects of the first organization through ${names}`, async () => {
      const before = (seen ??= await world())
      const change = await another()
      // oxlint-disable-next-line no-await-in-loop -- the changes of one organization, in order
      for (const operation of grouped.toSorted((one, other) => isRemoval(one) - isRemoval(other)))
        await change(operation)
      seen = await world()
      expect(seen).toBe(before)
    })
  }
})
