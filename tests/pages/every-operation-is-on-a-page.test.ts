/**
 * Checks that a page of the console or of the portal uses every operation. The workbench does not count, because it can
 * run every operation.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { operationTable } from '#cli/operations/operation-table.ts'

const web = fileURLToPath(new URL('../../web', import.meta.url))

/** Operations that no page uses, with the reasons. The workbench can run them. */
const elsewhere: Readonly<Record<string, string>> = {
  'auth.token': 'A session has no token. Pages show sessions.current.',
  'auth.whoami': 'sessions.current returns the same about a session, and more.',
  'deviceAuth.start': 'A device without a session starts this request.',
  'deviceAuth.poll': 'A device polls this operation until a member has approved the device.',
  'emitters.listen': '`tollgate emitters listen` reads the stream on a developer’s machine.',
  'emitters.sample':
    '`tollgate emitters trigger` sends the sample to a receiver that the server cannot reach.',
  'portal.application':
    'With only a key, a client finds the key’s portal. The portal itself knows its application.',
}

/**
 * Matches a call of an operation: `useChange('keys.mint'`, `call('keys.mint'`, `api.keys.mint(`, `client.portal.keys(`.
 */
function usesOf(source: string): ReadonlySet<string> {
  const named = source.matchAll(
    /\b(?:useAnswer|useRows|useChange|useRevised|useAllRows|allRowsQuery|call|useStream)(?:<[^>()]*>)?\(\s*'([\w.]+)'/g,
  )
  const confirmed = source.matchAll(/<ConfirmedChange\s+operation="([\w.]+)"/g)
  const methods = source.matchAll(/\b(?:api|client)\s*\.(\w+)(?:\.(\w+))?\(/g)
  return new Set([
    ...[...named, ...confirmed].map(([, id = '']) => id),
    ...[...methods].map(([, noun = '', verb]) => (verb === undefined ? noun : `${noun}.${verb}`)),
  ])
}

const sources = readdirSync(web, { recursive: true, encoding: 'utf8' }).filter(
  (path) =>
    /\.tsx?$/.test(path) &&
    !path.endsWith('.test.ts') &&
    /^(?:console|portal)\//.test(path) &&
    !path.startsWith('console/pages/workbench/'),
)
const used = new Set(sources.flatMap((path) => [...usesOf(readFileSync(join(web, path), 'utf8'))]))
const ids = operationTable.operations.map(({ id }) => id)

it('the test recognizes every way in which pages call an operation', () => {
  expect(
    usesOf(`useChange('keys.mint', {})\ncall(\n  'usage', {})\napi.sessions.create(x)\napi.doctor()`),
  ).toEqual(new Set(['keys.mint', 'usage', 'sessions.create', 'doctor']))
  expect(usesOf(`<ConfirmedChange\n  operation="keys.revoke"`)).toEqual(new Set(['keys.revoke']))
  expect(usesOf(`<CopyAs operation="keys.cap" /> words about 'keys.cap'`)).toEqual(new Set())
  expect(sources.length).toBeGreaterThan(100)
})

it('every operation is on a page, or in the list of exceptions with a reason', () => {
  const missing = ids.filter((id) => !used.has(id) && !(id in elsewhere))
  expect(missing, 'operations that no page uses, and that the list of exceptions lacks').toEqual([])
})

it('if a page uses an operation, the operation is not in the list of exceptions', () => {
  const needless = Object.keys(elsewhere).filter((id) => used.has(id) || !ids.includes(id))
  expect(needless, 'entries of the list of exceptions that a page uses, or that are no operation').toEqual([])
})
