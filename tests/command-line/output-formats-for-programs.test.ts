import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { operationTable } from '#cli/operations/operation-table.ts'
import { defaultColumns } from '#cli/output/default-columns.ts'
import { widthOf } from '#cli/output/text-width.ts'
import { operations } from '#operations/index.ts'
import { commandLine, fetchOf, type CommandLine } from '../support/run-command-line-in-process.ts'
import { openControl, type Control } from '../support/control-plane-without-socket.ts'
import { filled } from '../support/valid-request-of-every-operation.ts'

let control: Control
let shell: CommandLine
beforeAll(async () => {
  control = await openControl()
  await filled(control)
  for (const id of ['=1+1', 'a "quoted", person', '007']) {
    // oxlint-disable-next-line no-await-in-loop -- the results keep the order of the list
    await control.call('PUT', `/v1/end-users/${encodeURIComponent(id)}`, { body: {} })
  }
  shell = commandLine({
    fetch: fetchOf(control),
    env: { TOLLGATE_BASE_URL: 'http://control.test', TOLLGATE_TOKEN: control.token },
  })
})
afterAll(async () => {
  shell.close()
  await control.close()
})

const nothingSent = { fetch: () => Promise.reject(new Error('it was sent')) }

async function printed(...words: string[]): Promise<string> {
  const { err, exitCode, out } = await shell.run(words)
  expect([exitCode, err], words.join(' ')).toEqual([0, ''])
  return out
}

it('the help of every operation fits 80 columns, and only a long flag exceeds its column', async () => {
  for (const { id } of operationTable.operations) {
    // oxlint-disable-next-line no-await-in-loop -- all commands share one terminal
    const { out } = await shell.run([id, '--help'], { columns: 80 })
    expect(out, id).toContain('\nOptions:\n')
    const long = out.split('\n').filter((line) => widthOf(line) > 80 || line.endsWith(' '))
    expect(
      long.filter((line) => !/^ {2}-\S+ <\S+>$/.test(line)),
      id,
    ).toEqual([])
  }
})

it('the help of a flag lists all its values and fields', async () => {
  const helpOf = async (...words: string[]): Promise<string> =>
    (await printed(...words, '--help')).replaceAll(/\s+/g, ' ')
  expect(await helpOf('usage', 'series')).toContain('Values: model, provider, bundle,')
  const minted = await helpOf('keys', 'mint')
  expect(minted).toMatch(
    /Fields: measure \(requests, [^)]*micros[^)]*\), window \(minute, [^)]*\), most, models\./,
  )
  expect(minted).toContain("Amounts are dollars in single quotes, like '$0.25', or micros, like 250000.")
  expect(minted).toContain('relative to now, like +30d')
  expect(minted).not.toContain('decimal string')
})

it('the help of a credit price names its unit', async () => {
  const help = (await printed('bundles', 'price', '--help')).replaceAll(/\s+/g, ' ')
  expect(help).toMatch(
    /--credits\.input <amount> Rate per million tokens of input, [^.]*millionths of a credit/,
  )
})

it('the doctor reports unknown settings, and the result of each check', async () => {
  const env = { TOLLGATE_HOST: 'http://other.test' }
  const { out } = await shell.run(['doctor', '--app', 'acme'], { env })
  expect(out).toMatch(/^! environment +The environment variable TOLLGATE_HOST is not a setting/m)
  expect(out).toMatch(/^. end users +(?:no problems|\d+ problems?, see below)$/m)
})

describe('--json with names of fields', () => {
  it('--json with field names prints only these fields of a response, at their original positions', async () => {
    const whole = JSON.parse(await printed('users', 'show', 'user-1', '--json'))
    const chosen = JSON.parse(
      await printed('users', 'show', 'user-1', '--json', 'externalId,balance.balanceUnits,usage'),
    )
    const { balance, externalId, usage } = whole
    expect(chosen).toEqual({ externalId, balance: { balanceUnits: balance.balanceUnits }, usage })
  })

  it('--json with field names prints a list as an array of its rows, like GitHub’s command line', async () => {
    const { data } = JSON.parse(await printed('keys', 'list', '--json'))
    const rows = JSON.parse(await printed('keys', 'list', '--json=id,name'))
    expect(rows).toEqual(data.map(({ id, name }: { id: string; name: string }) => ({ id, name })))
    expect(await printed('routers', 'list', '--json', 'name', '--limit', '1')).toMatch(/^\[\{"name":/)
    const none = await shell.run(['users', 'list', '--json', 'id', '--bundle', 'spare'])
    expect(none.out).toBe('[]\n')
  })

  it('with --all, --json with field names reads all pages, and without --all it reports that more rows exist', async () => {
    const all = JSON.parse(await printed('users', 'list', '--all', '--json', 'externalId'))
    const first = await shell.run(['users', 'list', '--limit', '2', '--json', 'externalId'])
    expect(JSON.parse(first.out)).toEqual(all.slice(0, 2))
    expect(first.err).toContain('More rows exist. Print all rows with --all')
  })

  it('--json does not mistake the value of another argument for a field name', async () => {
    const whole = await printed('users', 'show', 'user-1', '--json')
    expect(await printed('users', 'show', '--json', 'user-1')).toBe(whole)
    expect(await printed('users', '--json', 'show', 'user-1')).toBe(whole)
    const named = await printed('users', 'show', '--json', 'externalId', 'user-1')
    expect(named).toBe('{"externalId":"user-1"}\n')
  })

  it('--json with an unknown field lists the existing fields before a request is sent', async () => {
    for (const words of [
      ['keys', 'mint', '--end-user-id', 'ada', '--json', 'kee'],
      ['users', 'list', '--columns', 'kee'],
      ['users', 'list', '--csv', '--columns', 'externalId,kee'],
    ]) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      const ran = await shell.run(words, nothingSent)
      expect(ran).toMatchObject({ exitCode: 2, out: '' })
      expect(ran.err).toMatch(/There is no field kee\. The fields are id, /)
    }
  })

  it('--json accepts every field of the responses', async () => {
    const lists = operationTable.operations.filter(
      ({ answer, inPath, method }) => answer === 'page' && !inPath && method === 'GET',
    )
    expect(lists.length).toBeGreaterThan(10)
    for (const { fields = [], path } of lists) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      const { body, status } = await control.call('GET', path)
      if (status !== 200) continue
      const answered = body.data.flatMap((row: object) => Object.keys(row))
      expect(fields, path).toEqual(expect.arrayContaining(answered))
    }
  })
})

describe('--csv', () => {
  it('--csv prints all columns, amounts in micros, and no text that a spreadsheet would run as a formula', async () => {
    const { data } = JSON.parse(await printed('users', 'list', '--json'))
    const text = await printed('users', 'list', '--csv')
    const [head = '', ...lines] = text.split('\r\n')
    expect(head).toMatch(/^id,externalId,email,bundle,.*balance\.balanceUnits,balance\.reservedUnits/)
    expect(lines.pop()).toBe('')
    expect(lines).toHaveLength(data.length)
    const ids = await printed('users', 'list', '--csv', '--columns', 'externalId,balance.balanceUnits,email')
    const rows = ids.split('\r\n')
    expect(rows[0]).toBe('externalId,balance.balanceUnits,email')
    expect(rows).toContain(`"'=1+1",0,`)
    expect(rows).toContain('"a ""quoted"", person",0,')
    expect(rows).toContain('"007",0,')
  })

  it('--csv prints only the header if there are no rows', async () => {
    const ran = await shell.run(['users', 'list', '--bundle', 'spare', '--csv', '--columns', 'id,email'])
    expect(ran).toEqual({ exitCode: 0, out: 'id,email\r\n', err: '' })
  })

  it('--csv reads all pages with --all', async () => {
    const one = await printed('users', 'list', '--csv')
    expect(await printed('users', 'list', '--csv', '--all', '--limit', '2')).toBe(one)
  })
})

it('--ndjson prints a row per line, unchanged from the response', async () => {
  const { data } = JSON.parse(await printed('users', 'list', '--json'))
  const lines = data.map((row: object) => `${JSON.stringify(row)}\n`).join('')
  expect(await printed('users', 'list', '--ndjson')).toBe(lines)
  expect(await printed('users', 'list', '--ndjson', '--all', '--limit', '1')).toBe(lines)
})

it('two output formats in one command are rejected', async () => {
  const ran = await shell.run(['users', 'list', '--csv', '--json'], nothingSent)
  expect(ran).toMatchObject({ exitCode: 2, out: '' })
  expect(JSON.parse(ran.err).error.message).toBe('Set only one of --json and --csv.')
})

it('an invalid command is reported as JSON if JSON was requested', async () => {
  for (const words of [['keyz'], ['keys', 'list', '--nonsense'], ['keys', 'show']]) {
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    const ran = await shell.run([...words, '--json'], nothingSent)
    expect(ran).toMatchObject({ exitCode: 2, out: '' })
    expect(JSON.parse(ran.err).error).toMatchObject({ code: 'command', message: expect.any(String) })
  }
})

it.each([['--jq', '.data'], ['--jq=.data']])(
  '%s is not a flag, and the error names the equivalent pipe',
  async (...jq) => {
    const ran = await shell.run(['keys', 'list', '--json=id', ...jq], nothingSent)
    expect([ran.exitCode, ran.out]).toEqual([2, ''])
    const { error } = JSON.parse(ran.err)
    expect(error.message).toContain("Pipe --json into jq: tollgate keys list --json | jq '.data[].id'")
    const plain = await shell.run(['users', 'show', 'user-1', ...jq], nothingSent)
    expect([plain.exitCode, plain.err]).toEqual([2, expect.stringContaining('Pipe --json into jq')])
  },
)

it('-v shows the idempotency key of a change before the change is sent, and the ETag of an object that has one', async () => {
  const sent: (string | null)[] = []
  const watched: typeof fetch = (url, init) => {
    sent.push(new Headers(init?.headers).get('idempotency-key'))
    return fetchOf(control)(url, init)
  }
  const ran = await shell.run(['bundles', 'edit', 'free', '--display-name', 'Free', '-v', '-q'], {
    fetch: watched,
  })
  const [key, request] = ran.err.split('\n')
  expect(key).toBe(`idempotency key ${sent[0]}`)
  expect(request).toMatch(/^PATCH \/v1\/bundles\/\{slug\} 200, \d+ ms, request req_\w+, etag ".+"$/)
})

describe('--describe', () => {
  interface Described {
    readonly command: string
    readonly flags: readonly { readonly name: string; readonly isRequired?: boolean }[]
    readonly operation?: { readonly id: string }
    readonly body?: object | null
    readonly answer?: object
    readonly commands?: readonly Described[]
    readonly $defs: Readonly<Record<string, object>>
  }
  const checkerOf = ($defs: Described['$defs']): ((schema: object) => ValidateFunction) => {
    const moved = (schema: object): object =>
      JSON.parse(JSON.stringify(schema).replaceAll('"#/$defs/', '"shared#/$defs/'))
    const ajv = new Ajv2020({ strict: false })
    addFormats.default(ajv)
    ajv.addSchema({ $id: 'shared', ...moved({ $defs }) })
    return (schema) => ajv.compile(moved(schema))
  }
  const all = (one: Described): Described[] => [one, ...(one.commands ?? []).flatMap(all)]

  it('--describe prints every command, and the input and output of every operation, without a server', async () => {
    const { err, exitCode, out } = await shell.run(['--describe'], nothingSent)
    expect([exitCode, err]).toEqual([0, ''])
    const tree: Described = JSON.parse(out)
    const commands = all(tree)
    expect(commands.flatMap(({ operation }) => operation?.id ?? []).toSorted()).toEqual(
      operations.map(({ id }) => id).toSorted(),
    )
    const names = commands.map(({ command }) => command)
    expect(names).toEqual(
      expect.arrayContaining(['tollgate login', 'tollgate init', 'tollgate serve', 'tollgate keys mint']),
    )
    expect(names.filter((name) => name.includes('__'))).toEqual([])
    // Each command names existing schemas, and each schema references only existing schemas.
    const check = checkerOf(tree.$defs)
    for (const { answer, body, command } of commands) {
      for (const schema of [answer, body]) if (schema) expect(() => check(schema), command).not.toThrow()
    }
  })

  it('--describe after a command describes only the command and the schemas that it needs', async () => {
    const { out } = await shell.run(['keys', 'mint', '--describe'], nothingSent)
    const described: Described = JSON.parse(out)
    expect(described.command).toBe('tollgate keys mint')
    expect(described.flags.find(({ name }) => name === '--end-user-id')).toMatchObject({ isRequired: true })
    expect(Object.keys(described.$defs).length).toBeLessThan(6)
    const { body } = await control.call('POST', '/v1/keys', { body: { endUserId: 'user-1' } })
    const isValid = checkerOf(described.$defs)(described.answer ?? {})
    expect(isValid(body), JSON.stringify(isValid.errors)).toBe(true)
    expect((await shell.run(['keys', 'mint', 'nothing', '--describe'])).exitCode).toBe(2)
  })
})

describe('a list on a terminal', () => {
  it('a list on a terminal shows a few selected columns, which are fields of its rows', () => {
    const lists = operationTable.operations.filter(({ answer, id }) => answer === 'page' && id !== 'margin')
    expect(Object.keys(defaultColumns).toSorted()).toEqual(lists.map(({ id }) => id).toSorted())
    for (const { fields = [], id } of lists) {
      expect(fields, id).toEqual(expect.arrayContaining([...(defaultColumns[id] ?? [])]))
      expect(defaultColumns[id]?.length, id).toBeLessThanOrEqual(8)
    }
  })

  it('a list of requests shows time, end user, model, status and charge in 80 columns, and states the number of hidden columns', async () => {
    const { err, out } = await shell.run(['requests', 'list'], { columns: 80 })
    expect(out.split('\n')[0]).toMatch(/^CREATED AT +END USER ID +REQUESTED MODEL +STATUS +CHARGE/)
    expect(err).toMatch(
      /^\n\d+ more columns hidden\. Choose columns with --columns, or print all with --json\.\n$/,
    )
    expect((await shell.run(['requests', 'list'])).out.split('\n')[0]).toContain('COST')
  })

  it('a list on a terminal prints no cursor, because a narrow terminal would break the cursor into two lines', async () => {
    const narrow = await shell.run(['users', 'list', '--limit', '1'], { columns: 80 })
    expect(narrow.err).toContain('With --json, the cursor is printed')
    for (const line of narrow.err.split('\n')) expect(line.length).toBeLessThanOrEqual(80)
    const piped = await shell.run(['users', 'list', '--limit', '1'])
    expect(piped.err).toMatch(/or the next page with --cursor \S+\.\n/)
  })
})
