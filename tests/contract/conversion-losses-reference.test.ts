import { expect, test } from 'vitest'
import { readerLosses, readerRefusals } from '#convert/capabilities/parts-without-neutral-form.ts'
import { conversionLosses } from '../../tools/generate/conversion-losses-page.ts'

const wires = ['chat', 'messages', 'generate', 'responses']

const sections = new Map(
  conversionLosses()
    .split('\n## ')
    .map((section) => [section.split('\n')[0], section]),
)

test.each(Object.values(readerRefusals))(
  'the reference of conversion losses lists $what as refused, for each wire that has the field',
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

test.each(readerLosses)(
  'the reference lists $field as lost or changed in each conversion from $from to another wire',
  (loss) => {
    for (const to of wires.filter((wire) => wire !== loss.from))
      expect(sections.get(`${loss.from} to ${to}`)).toContain(
        `| \`${loss.field}\` | ${loss.what} | ${loss.result ?? 'lost'} |`,
      )
  },
)
