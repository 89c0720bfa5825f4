import { expect, test } from 'vitest'
import { readerLosses, readerRefusals } from '#convert/capabilities/reader-refusals.ts'
import { conversionLosses } from '../../tools/generate/conversion-losses-page.ts'

const wires = ['chat', 'messages', 'generate', 'responses']

const sections = new Map(
  conversionLosses()
    .split('\n## ')
    .map((section) => [section.split('\n')[0], section]),
)

test.each(Object.values(readerRefusals))(
  'the reference of losses lists $what in each direction from a wire that has it',
  ({ field, what }) => {
    for (const from of wires) {
      const name = new Map<string, string>(Object.entries(field)).get(from)
      for (const to of wires.filter((wire) => wire !== from)) {
        const section = sections.get(`${from} to ${to}`)
        if (name === undefined) expect(section).not.toContain(what)
        else expect(section).toContain(`| \`${name}\` | ${what} | refused |`)
      }
    }
  },
)

test.each(readerLosses)('the reference of losses lists $field in each direction from $from', (loss) => {
  for (const to of wires.filter((wire) => wire !== loss.from))
    expect(sections.get(`${loss.from} to ${to}`)).toContain(`| \`${loss.field}\` | ${loss.what} | lost |`)
})
