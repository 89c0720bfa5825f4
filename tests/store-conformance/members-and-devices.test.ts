import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { DeviceSignIn } from '#domain/people/device-sign-ins.ts'
import type { MemberSession } from '#domain/people/member-sessions.ts'
import { challengesMax, type Passkey } from '#domain/people/passkeys.ts'
import type { Member } from '#domain/people/member-records.ts'
import type { Token } from '#domain/people/token-record.ts'
import type { Store } from '#domain/store-interface.ts'
import { sqlStore } from '#store/nouns/sql-store-of-all-nouns.ts'
import { engines, type Opened } from './engines.ts'

const nowMs = Date.UTC(2026, 10, 22)
const day = 86_400_000

const organization = (id: string) => ({ id, code: id, name: id, createdAtMs: nowMs })

const member = (id: string, fields: Partial<Member> = {}): Member => ({
  id,
  organizationId: 'org_1',
  email: `${id}@example.com`,
  name: id,
  role: 'developer',
  passwordHash: null,
  oidcIssuer: null,
  oidcSubject: null,
  createdAtMs: nowMs,
  joinedAtMs: nowMs,
  removedAtMs: null,
  inviteExpiresAtMs: null,
  ...fields,
})

const noCreator = {
  createdByKind: null,
  createdById: null,
  createdByLabel: null,
  createdByMemberId: null,
} as const

const session = (id: string, fields: Partial<MemberSession> = {}): MemberSession => ({
  id,
  organizationId: 'org_1',
  memberId: 'ada',
  address: '192.0.2.1',
  userAgent: 'browser',
  activeApplicationId: null,
  createdAtMs: nowMs,
  lastUsedAtMs: nowMs,
  ...fields,
})

const signIn = (id: string, fields: Partial<DeviceSignIn> = {}): DeviceSignIn => ({
  id,
  clientName: null,
  askedRole: null,
  address: '',
  userAgent: '',
  createdAtMs: nowMs,
  expiresAtMs: nowMs + 1,
  decision: null,
  organizationId: null,
  memberId: null,
  role: null,
  ...fields,
})

describe.each(engines)('members and devices on $name', ({ open }) => {
  let opened: Opened
  let store: Store
  beforeEach(async () => {
    opened = await open(() => nowMs)
    store = sqlStore(opened.store.database)
    await store.transaction(async ({ members, organizations }) => {
      await organizations.insert(organization('org_1'))
      await organizations.insert(organization('org_2'))
      await members.insert(member('ada', { role: 'owner' }), null)
    })
  })
  afterEach(() => opened.close())

  const insert = (one: Member, hash: string | null = null) =>
    store.transaction(({ members }) => members.insert(one, hash))

  test('an email address can join only one team of the store, and can be invited to any team', async () => {
    const elsewhere = { organizationId: 'org_2', email: 'ada@example.com' }
    await expect(insert(member('m1', elsewhere))).rejects.toThrow(/unique/i)
    await insert(member('m2', { ...elsewhere, joinedAtMs: null }), 'hash')
    await expect(insert(member('m3', { email: 'ada@example.com', joinedAtMs: null }))).rejects.toThrow(
      /unique/i,
    )
    expect((await store.read.members.joinedByEmail('ada@example.com'))?.id).toBe('ada')
    expect((await store.read.members.invitedByEmail('ada@example.com')).map(({ id }) => id)).toEqual(['m2'])
    expect((await store.read.members.byInvite('hash'))?.id).toBe('m2')
  })

  test('an identity of the identity provider belongs to one member', async () => {
    const bound = { oidcIssuer: 'https://id.example.com', oidcSubject: 'subject' }
    await insert(member('m1', bound))
    await expect(insert(member('m2', bound))).rejects.toThrow(/unique/i)
    await insert(member('m3', { ...bound, oidcIssuer: 'https://other.example.com' }))
    expect((await store.read.members.bySubject(bound.oidcIssuer, 'subject'))?.id).toBe('m1')
  })

  test('no query finds a deleted end user, and the end user’s ID can be used again', async () => {
    const gone = { removedAtMs: nowMs, oidcIssuer: 'i', oidcSubject: 's' }
    await store.transaction(({ members }) => members.update(member('ada', gone), 'hash'))
    const { members } = store.read
    expect([
      await members.byId('org_1', 'ada'),
      await members.byEmail('org_1', 'ada@example.com'),
      await members.joinedByEmail('ada@example.com'),
      await members.bySubject('i', 's'),
      await members.byInvite('hash'),
      (await members.list('org_1', { limit: 10, after: null })).rows.length,
      await members.joinedCount('org_1'),
      await members.isAnyoneJoined(),
    ]).toEqual([null, null, null, null, null, 0, 0, false])
    await insert(member('m1', { email: 'ada@example.com' }))
  })

  test('members who have joined are counted, in total and by role', async () => {
    await insert(member('m1', { role: 'owner', joinedAtMs: null }))
    await insert(member('m2'))
    await insert(member('m3', { role: 'owner', organizationId: 'org_2' }))
    const { members } = store.read
    expect([await members.joinedCount('org_1'), await members.joinedCount('org_1', 'owner')]).toEqual([2, 1])
    expect(await members.isAnyoneJoined()).toBe(true)
  })

  test('a new set-up link replaces the previous link', async () => {
    const put = (hash: string) =>
      store.transaction(({ members }) =>
        members.putSetupLink({ organizationId: 'org_1', hash, expiresAtMs: nowMs }),
      )
    await put('first')
    await put('second')
    expect(await store.read.members.setupLink('first')).toBeNull()
    expect(await store.read.members.setupLink('second')).toMatchObject({ organizationId: 'org_1' })
    await store.transaction(({ members }) => members.removeSetupLink('org_1'))
    expect(await store.read.members.setupLink('second')).toBeNull()
  })

  test('sessions can expire, and can be ended one by one or all except one', async () => {
    await store.transaction(async ({ memberSessions }) => {
      await memberSessions.insert(session('old', { createdAtMs: nowMs - 30 * day }), 'h1')
      await memberSessions.insert(session('idle', { lastUsedAtMs: nowMs - 7 * day }), 'h2')
      await memberSessions.insert(session('new', { createdAtMs: nowMs - 30 * day + 1 }), 'h3')
      await memberSessions.insert(session('used', { lastUsedAtMs: nowMs - 7 * day + 1 }), 'h4')
      await memberSessions.insert(session('now'), 'h5')
    })
    const ids = async () => {
      const { rows } = await store.read.memberSessions.list('org_1', 'ada', nowMs, { limit: 10, after: null })
      return rows.map(({ id }) => id)
    }
    expect(await ids()).toEqual(['used', 'now', 'new'])
    await store.transaction(({ memberSessions }) => memberSessions.prune(nowMs))
    expect(await store.read.memberSessions.byHash('h1')).toBeNull()
    expect(await store.read.memberSessions.byHash('h2')).toBeNull()
    await store.transaction(({ memberSessions }) => memberSessions.removeOfMember('ada', 'now'))
    expect(await ids()).toEqual(['now'])
    expect(await store.read.memberSessions.byId('org_2', 'now')).toBeNull()
    await store.transaction(({ memberSessions }) => memberSessions.removeOfMember('ada'))
    expect(await ids()).toEqual([])
  })

  test('a device sign-in is approved or denied only once, and redeemed only once after approval', async () => {
    const approved = {
      decision: 'approved',
      organizationId: 'org_1',
      memberId: 'ada',
      role: 'viewer',
    } as const
    const denied = { decision: 'denied', organizationId: null, memberId: null, role: null } as const
    const took = await store.transaction(async ({ deviceSignIns }) => {
      await deviceSignIns.insert(signIn('d1'), { device: 'd1', user: 'u1' })
      await deviceSignIns.insert(signIn('d2', { expiresAtMs: nowMs }), { device: 'd2', user: 'u2' })
      return [
        await deviceSignIns.redeem('d1'),
        await deviceSignIns.decide('d1', approved),
        await deviceSignIns.decide('d1', denied),
        await deviceSignIns.decide('d2', denied),
        await deviceSignIns.redeem('d2'),
      ]
    })
    expect(took).toEqual([false, true, false, true, false])
    expect(await store.read.deviceSignIns.byUserCode('u1')).toMatchObject({ id: 'd1', role: 'viewer' })
    expect(await store.read.deviceSignIns.liveCount(nowMs)).toBe(1)
    const redeemed = await Promise.all(
      Array.from({ length: 20 }, () => store.transaction(({ deviceSignIns }) => deviceSignIns.redeem('d1'))),
    )
    expect(redeemed.filter(Boolean)).toHaveLength(1)
    await store.transaction(({ deviceSignIns }) => deviceSignIns.prune(nowMs))
    expect(await store.read.deviceSignIns.byDevice('d2')).toBeNull()
  })

  test('the store finds the valid tokens and sessions among many hashes', async () => {
    const token = (id: string, terms: Partial<Token>): Token => ({
      id,
      organizationId: 'org_1',
      label: id,
      prefix: '',
      lastFour: '',
      role: 'viewer',
      applicationId: null,
      memberId: null,
      ...noCreator,
      activeApplicationId: null,
      createdAtMs: nowMs,
      lastUsedAtMs: null,
      revokedAtMs: null,
      expiresAtMs: null,
      ...terms,
    })
    await store.transaction(async ({ memberSessions, tokens }) => {
      await tokens.insert(token('t1', {}), 'valid')
      await tokens.insert(token('t2', { expiresAtMs: nowMs + 1 }), 'expires')
      await tokens.insert(token('t3', { expiresAtMs: nowMs }), 'expired')
      await tokens.insert(token('t4', { revokedAtMs: nowMs }), 'revoked')
      await memberSessions.insert(session('now'), 'session')
      await memberSessions.insert(session('old', { createdAtMs: nowMs - 30 * day }), 'old session')
      await memberSessions.insert(session('idle', { lastUsedAtMs: nowMs - 7 * day }), 'idle session')
    })
    const all = ['valid', 'expires', 'expired', 'revoked', 'session', 'old session', 'idle session', 'none']
    const { credentials } = store.read
    expect(await credentials.validAmong(all, nowMs)).toEqual(new Set(['valid', 'expires', 'session']))
    expect(await credentials.validAmong(['none', 'valid'], nowMs)).toEqual(new Set(['valid']))
  })

  test('the tokens of a member’s devices can be revoked: all of them, or all with a role above a given role', async () => {
    const token = (id: string, role: Member['role'], memberId: string | null) => ({
      id,
      organizationId: 'org_1',
      label: id,
      prefix: '',
      lastFour: '',
      role,
      applicationId: null,
      memberId,
      ...noCreator,
      activeApplicationId: null,
      createdAtMs: nowMs,
      lastUsedAtMs: null,
      revokedAtMs: null,
      expiresAtMs: null,
    })
    await store.transaction(async ({ tokens }) => {
      for (const role of ['viewer', 'developer', 'admin', 'owner'] as const) {
        // oxlint-disable-next-line no-await-in-loop -- in one transaction
        await tokens.insert(token(role, role, 'ada'), role)
      }
      await tokens.insert(token('backend', 'owner', null), 'backend')
    })
    const valid = async () => {
      const { rows } = await store.read.tokens.list('org_1', { limit: 10, after: null })
      return rows.filter(({ revokedAtMs }) => revokedAtMs === null).map(({ id }) => id)
    }
    await store.transaction(({ tokens }) => tokens.revokeOfMember('ada', 'developer', nowMs))
    expect(await valid()).toEqual(['viewer', 'developer', 'backend'])
    await store.transaction(({ tokens }) => tokens.revokeOfMember('ada', null, nowMs))
    expect(await valid()).toEqual(['backend'])
  })

  test('a passkey is registered once, and its counter increases with each use', async () => {
    const passkey = (id: string, fields: Partial<Passkey> = {}): Passkey => ({
      id,
      organizationId: 'org_1',
      memberId: 'ada',
      name: id,
      credentialId: id,
      publicKey: 'key',
      counter: 0,
      createdAtMs: nowMs,
      lastUsedAtMs: null,
      ...fields,
    })
    const isAdded = await store.transaction(async ({ passkeys }) => [
      await passkeys.insert(passkey('psk_1')),
      await passkeys.insert(passkey('psk_2', { createdAtMs: nowMs + 1 })),
      await passkeys.insert(passkey('psk_3', { credentialId: 'psk_1' })),
    ])
    expect(isAdded).toEqual([true, true, false])
    const { passkeys } = store.read
    const page = await passkeys.list('ada', { limit: 10, after: null })
    expect(page.rows).toEqual([passkey('psk_2', { createdAtMs: nowMs + 1 }), passkey('psk_1')])
    expect(await passkeys.countOf('ada')).toBe(2)
    expect(await passkeys.byId('org_2', 'psk_1')).toBeNull()
    expect(await passkeys.byCredential('psk_1')).toEqual(passkey('psk_1'))
    const uses = await Promise.all(
      Array.from({ length: 8 }, () =>
        store.transaction((nouns) => nouns.passkeys.use('psk_1', { from: 0, to: 3, atMs: nowMs + 5 })),
      ),
    )
    expect(uses.filter(Boolean)).toHaveLength(1)
    expect(await passkeys.byId('org_1', 'psk_1')).toMatchObject({ counter: 3, lastUsedAtMs: nowMs + 5 })
    await store.transaction((nouns) => nouns.passkeys.rename('psk_1', 'Phone'))
    await store.transaction((nouns) => nouns.passkeys.remove('psk_2'))
    expect(await passkeys.byId('org_1', 'psk_1')).toMatchObject({ name: 'Phone' })
    await store.transaction((nouns) => nouns.passkeys.removeOfMember('ada'))
    expect(await passkeys.countOf('ada')).toBe(0)
  })

  test('a passkey challenge can be used once, and is removed if it is old or if a network has too many challenges', async () => {
    const put = (hash: string, network: string, expiresAtMs: number, atMs = nowMs) =>
      store.transaction(({ passkeys }) =>
        passkeys.putChallenge({ hash, memberId: null, network, expiresAtMs }, atMs),
      )
    const { passkeys } = store.read
    await put('first', 'a', nowMs + 10)
    const taken = await Promise.all(
      Array.from({ length: 8 }, () => store.transaction((nouns) => nouns.passkeys.takeChallenge('first'))),
    )
    expect(taken.filter(Boolean)).toHaveLength(1)
    expect(await passkeys.challenge('first')).toBeNull()
    await put('other', 'b', nowMs + 10)
    for (let n = 0; n <= challengesMax.network; n++) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      await put(`a${n}`, 'a', nowMs + 100 + n)
    }
    expect(await passkeys.challenge('a0')).toBeNull()
    expect(await passkeys.challenge('a1')).not.toBeNull()
    expect(await passkeys.challenge('other')).not.toBeNull()
    await put('late', 'a', nowMs + 200, nowMs + 10)
    expect(await passkeys.challenge('other')).toBeNull()
  })

  test('the passkey requirement is set per organization', async () => {
    const { passkeys } = store.read
    expect(await passkeys.isRequired('org_1')).toBe(false)
    await store.transaction((nouns) => nouns.passkeys.setRequired('org_1', true))
    expect([await passkeys.isRequired('org_1'), await passkeys.isRequired('org_2')]).toEqual([true, false])
    await store.transaction((nouns) => nouns.passkeys.setRequired('org_1', false))
    expect(await passkeys.isRequired('org_1')).toBe(false)
  })

  test('the valid tokens that a member created are found, all of them or only those above a role, and can be revoked', async () => {
    const token = (id: string, role: Member['role'], fields: Partial<Token> = {}): Token => ({
      id,
      organizationId: 'org_1',
      label: id,
      prefix: '',
      lastFour: '',
      role,
      applicationId: null,
      memberId: null,
      createdByKind: 'member',
      createdById: 'ada',
      createdByLabel: 'ada@example.com',
      createdByMemberId: 'ada',
      activeApplicationId: null,
      createdAtMs: nowMs,
      lastUsedAtMs: null,
      revokedAtMs: null,
      expiresAtMs: null,
      ...fields,
    })
    await store.transaction(async ({ members, tokens }) => {
      await members.setRole('ada', 'developer')
      await members.insert(member('bob', { email: 'bob@example.com', role: 'owner' }), null)
      const all = [
        token('a-viewer', 'viewer'),
        token('b-developer', 'developer', { expiresAtMs: nowMs + 1 }),
        token('c-admin', 'admin'),
        token('d-owner', 'owner', { createdByKind: 'token', createdById: 'c-admin' }),
        token('expired', 'owner', { expiresAtMs: nowMs }),
        token('revoked', 'owner', { revokedAtMs: nowMs }),
        token('device', 'viewer', { memberId: 'ada' }),
        token('of-bob', 'owner', { createdByMemberId: 'bob' }),
        token('of-nobody', 'owner', { ...noCreator }),
        token('elsewhere', 'owner', { organizationId: 'org_2' }),
      ]
      for (const one of all) {
        // oxlint-disable-next-line no-await-in-loop -- in one transaction
        await tokens.insert(one, one.id)
      }
    })
    const { tokens } = store.read
    const created = async (above: Member['role'] | null, limit = 10) =>
      (await tokens.createdBy('ada', above, nowMs, limit)).map(({ id }) => id)
    expect(await created(null)).toEqual(['elsewhere', 'd-owner', 'c-admin', 'b-developer', 'a-viewer'])
    expect(await created('developer')).toEqual(['elsewhere', 'd-owner', 'c-admin'])
    expect(await created('owner')).toEqual([])
    expect(await created(null, 1)).toEqual(['elsewhere'])
    expect((await tokens.createdBy('ada', null, nowMs + 1, 10)).map(({ id }) => id)).not.toContain(
      'b-developer',
    )

    const outranking = async () =>
      (await tokens.outranking('org_1', nowMs, 10)).map(({ email, memberRole, token: { id } }) => [
        id,
        email,
        memberRole,
      ])
    expect(await outranking()).toEqual([
      ['d-owner', 'ada@example.com', 'developer'],
      ['c-admin', 'ada@example.com', 'developer'],
    ])
    await store.transaction(({ members }) =>
      members.update({ ...member('bob', { email: 'bob@example.com' }), removedAtMs: nowMs }, null),
    )
    expect(await outranking()).toContainEqual(['of-bob', 'bob@example.com', null])

    await store.transaction((nouns) => nouns.tokens.revokeCreatedBy('ada', 'admin', nowMs))
    expect(await created(null)).toEqual(['c-admin', 'b-developer', 'a-viewer'])
    await store.transaction((nouns) => nouns.tokens.revokeCreatedBy('ada', null, nowMs))
    expect(await created(null)).toEqual([])
    expect((await tokens.byHash('device'))?.revokedAtMs).toBeNull()
    expect((await tokens.byHash('of-nobody'))?.revokedAtMs).toBeNull()
  })
})
