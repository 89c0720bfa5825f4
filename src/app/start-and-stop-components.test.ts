import { expect, it } from 'vitest'
import { Components } from './start-and-stop-components.ts'

interface Line {
  readonly level: string
  readonly component: string
}

const names = ['store', 'emitters', 'listeners', 'requests']

function components(failing: { readonly start?: string; readonly stop?: string } = {}) {
  const done: string[] = []
  const lines: Line[] = []
  const write =
    (level: string) =>
    (fields: object): void =>
      void lines.push({ level, component: 'component' in fields ? String(fields.component) : '' })
  const log = { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') }
  const all = new Components(log)
  const start = async (): Promise<void> => {
    for (const name of names) {
      // oxlint-disable-next-line no-await-in-loop -- in order
      await all.start(
        name,
        async () => {
          if (name === failing.start) throw new Error(`${name} does not start`)
          done.push(`start ${name}`)
          return name
        },
        async (part) => {
          done.push(`stop ${part}`)
          if (name === failing.stop) throw new Error(`${name} does not stop`)
        },
      )
    }
  }
  return { all, done, lines, start }
}

it('the components are stopped in the reverse order of their starts, each once', async () => {
  const { all, done, lines, start } = components()
  await start()
  await all.stop()
  await all.stop()
  const reverse = names.toReversed()
  expect(done).toEqual([...names.map((name) => `start ${name}`), ...reverse.map((name) => `stop ${name}`)])
  expect(lines).toEqual(reverse.map((component) => ({ level: 'debug', component })))
})

it.each(names)(
  'if component %s does not start, only the components before it are stopped',
  async (failing) => {
    const { all, done, start } = components({ start: failing })
    await expect(start()).rejects.toThrow(`${failing} does not start`)
    await all.stop()
    const before = names.slice(0, names.indexOf(failing))
    expect(done).toEqual([
      ...before.map((name) => `start ${name}`),
      ...before.toReversed().map((name) => `stop ${name}`),
    ])
  },
)

it.each(names)(
  'if component %s does not stop, all other components are stopped, and the error names the component that did not stop',
  async (failing) => {
    const { all, done, lines, start } = components({ stop: failing })
    await start()
    await expect(all.stop()).rejects.toMatchObject({
      message: `stop ${failing}`,
      cause: { message: `${failing} does not stop` },
    })
    expect(done.slice(names.length)).toEqual(names.toReversed().map((name) => `stop ${name}`))
    expect(lines.filter(({ level }) => level === 'error')).toEqual([{ level: 'error', component: failing }])
  },
)
