import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { typed, wordsOf } from '#cli/operations/command-and-flag-names.ts'
import { operationTable, type Flag, type Operation as Entry } from '#cli/operations/operation-table.ts'
import { errors } from '#domain/errors.ts'
import { operations } from '#operations/index.ts'
import type { Operation } from '#operations/kernel/declare-operation.ts'
import { commandLine, fetchOf, type CommandLine, type Ran } from '../support/run-command-line-in-process.ts'
import type { Control } from '../support/control-plane-without-socket.ts'
import {
  canBeRefused,
  openFilled,
  sampleOf,
  type FilledControl,
  type Sample,
} from '../support/valid-request-of-every-operation.ts'

const entries = new Map(operationTable.operations.map((entry) => [entry.id, entry]))

let shell: CommandLine
let reading: FilledControl
/** All operations run on this server one after the other, and change it. */
let changing: FilledControl
beforeAll(async () => {
  shell = commandLine()
  reading = await openFilled()
  changing = await openFilled()
})
afterAll(async () => {
  shell.close()
  await reading.control.close()
  await changing.control.close()
})

it('the command line’s table of operations equals the server’s table', () => {
  expect([...entries.keys()].toSorted()).toEqual(operations.map(({ id }) => id).toSorted())
})

describe('every operation', () => {
  const isRemoval = ({ method }: Operation): number => Number(method === 'DELETE')
  for (const operation of operations.toSorted((one, other) => isRemoval(one) - isRemoval(other))) {
    it(`${operation.id} is a command that prints the response`, async () => {
      if (operation.method === 'GET') {
        printsRightly(operation, await printedIn(reading, operation))
        const { control, ids } = reading
        const sample = sampleOf(operation, ids)
        const told = await called(operation, sample, control, argvOf(operation, sample))
        expect({ ...told, out: '' }).toMatchObject({ exitCode: 0 })
        expect(told.out).not.toContain('[object')
        return
      }
      const ran = await printedIn(changing, operation)
      if (ran.exitCode === 0) return printsRightly(operation, ran)
      // An earlier operation may have deleted data that the current operation needs.
      const own = await openFilled()
      printsRightly(operation, await printedIn(own, operation))
      await own.control.close()
    })
  }

  for (const operation of operations.filter(canBeRefused)) {
    it(`${operation.id} reports a declared error, the next step, and its exit code`, async () => {
      const { control, ids } = reading
      const sample = sampleOf(operation, ids)
      const [argv, token, code, exitCode] = wrong(operation, sample)
      const before = await control.dump()
      const ran = await called(operation, sample, control, argv, token)
      expect(ran.exitCode).toBe(exitCode)
      // The doctor reports connection problems as findings instead of an error.
      if (operation.id === 'doctor') return expect(ran.out).toContain('✗ server')
      expect(ran.out).toBe('')
      expect(ran.err).toMatch(/^tollgate: .+\n/)
      expect(ran.err).toMatch(code)
      expect(ran.err).toMatch(/request req_[0-9a-z]+/)
      const machine = await called(operation, sample, control, [...argv, '--json'], token)
      expect(Object.keys(errors)).toContain(JSON.parse(machine.err).error.code)
      expect(machine).toMatchObject({ exitCode, out: '' })
      expect(await control.dump()).toBe(before)
    })
  }
})

it('an operation’s flag has the name of a common flag only if both flags have the same meaning', () => {
  const common = new Set(['host', 'app', 'mode', 'profile', 'json', 'quiet', 'yes', 'verbose', 'data', 'all'])
  const hidden = operationTable.operations.flatMap(({ flags = [], id }) =>
    flags.filter(({ name }) => common.has(name)).map(({ name }) => `${id} ${name}`),
  )
  expect(hidden).toEqual(['routers.plan mode'])
})

function printedIn({ control, ids }: FilledControl, operation: Operation): Promise<Ran> {
  const sample = sampleOf(operation, ids)
  return called(operation, sample, control, [...argvOf(operation, sample), '--json'])
}

function printsRightly(operation: Operation, ran: Ran): void {
  // An empty export prints the time up to which it contains usage.
  const err = operation.id === 'usage.export' && ran.out === '' ? ran.err : ''
  expect({ ...ran, out: '' }, operation.id).toEqual({ exitCode: 0, out: '', err })
  const { answer } = entryOf(operation)
  if (answer === 'document' || answer === 'page') {
    expect(operation.output.safeParse(JSON.parse(ran.out)).error).toBeUndefined()
  }
}

function entryOf({ id }: Operation): Entry {
  const entry = entries.get(id)
  if (!entry) throw new Error(`npm run generate: the command line has no ${id}`)
  return entry
}

function called(
  operation: Operation,
  { file, session, token }: Sample,
  control: Control,
  argv: readonly string[],
  otherToken?: string,
): Promise<Ran> {
  // Only a user who signed in with a browser has cookies.
  const headers = session &&
    otherToken === undefined && {
      cookie: session.cookie,
      'x-csrf-token': session.csrfToken,
      'sec-fetch-site': 'same-origin',
    }
  // The response of a live tail has no end. The test disconnects after the first piece.
  const leaving = new AbortController()
  const isTail = ['emitters.listen', 'requests.tail'].includes(operation.id)
  return shell.run(argv, {
    fetch: fetchOf(control, headers || {}),
    ...(file && { input: file.bytes }),
    ...(isTail && { signal: leaving.signal, clock: { sleep: async () => leaving.abort() } }),
    env: {
      TOLLGATE_BASE_URL: 'http://control.test',
      ...(!headers && { TOLLGATE_TOKEN: otherToken ?? token ?? control.token }),
    },
  })
}

function argvOf(
  operation: Operation,
  { body, file, path, query }: Sample,
  without: readonly string[] = [],
): string[] {
  const { flags = [], id } = entryOf(operation)
  const names = [...operation.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)
  const input = Object.entries({ ...query, ...(operation.input.body === null ? {} : body) })
  return [
    ...wordsOf(id),
    ...names.map((name) => path?.[name] ?? ''),
    ...input
      .filter(([name]) => !without.includes(name))
      .flatMap(([name, value]) => flagOf(name, value, flags)),
    ...(file ? ['--file', '-', '--type', file.type] : []),
    ...(operation.method === 'DELETE' ? ['--yes'] : []),
    ...(id === 'usage' ? ['--by', 'name'] : []),
    ...(id === 'emitters.listen' ? ['--forward-to', 'http://localhost:9'] : []),
  ]
}

function flagOf(name: string, value: unknown, flags: readonly Flag[]): string[] {
  const flag = flags.find((one) => one.name === name)
  const word = `--${typed(name)}`
  if (value === null) return [`--no-${typed(name)}`]
  if (value === true || value === 'true') return flag?.kind === 'boolean' ? [word] : [word, 'true']
  if (value === false || value === 'false')
    return flag?.kind === 'boolean' ? [`--no-${typed(name)}`] : [word, 'false']
  if (Array.isArray(value)) return value.flatMap((one) => [word, textOf(one)])
  if (typeof value === 'object') {
    const inner = Object.entries(value)
    const hasFlags = inner.every(([one]) => flags.some((other) => other.name === `${name}.${one}`))
    return hasFlags
      ? inner.flatMap(([one, within]) => flagOf(`${name}.${one}`, within, flags))
      : [word, textOf(value)]
  }
  return [word, textOf(value)]
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const fields = Object.entries(value)
  const isFlat = fields.every(([, one]) => typeof one === 'string' || typeof one === 'number')
  return isFlat ? fields.map(([name, one]) => `${name}=${one}`).join(',') : JSON.stringify(value)
}

const credential = /invalid_|missing_credential|wrong_credential_kind/

type Wrong = readonly [argv: string[], token: string | undefined, code: string | RegExp, exitCode: number]

/** The returned call fails with an error that the operation declares. */
function wrong(operation: Operation, sample: Sample): Wrong {
  const [first] = [...operation.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)
  const noToken = `sk_aaaaaa_${'x'.repeat(36)}`
  // The session of the test server has ended, so the request is rejected.
  if (sample.session) return [argvOf(operation, sample), noToken, credential, 4]
  // A PUT creates the object if it does not exist, so the request succeeds.
  if (first && operation.method !== 'PUT' && operation.errors.some((code) => code === 'not_found')) {
    const nobody = first === 'email' ? 'nobody@example.com' : 'nobody'
    const path = { ...sample.path, [first]: nobody }
    return [argvOf(operation, { ...sample, path }), undefined, 'not_found', 3]
  }
  if (entryOf(operation).body === 'json' && operation.input.body !== null) {
    const argv = [...argvOf(operation, sample), '--data', '{"surprise": true}']
    return [argv, undefined, 'unknown_field', 1]
  }
  return [argvOf(operation, sample), noToken, credential, 4]
}
