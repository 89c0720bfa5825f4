/**
 * The prose check must find each fault that it has a rule for, in each kind of text, and no fault in plain sentences.
 */
import { describe, expect, it } from 'vitest'
import { allowed } from '../tools/prose/allowed-sentences.ts'
import { checkProse } from '../tools/prose/check-prose.ts'
import { readableTexts } from '../tools/prose/sentences-in-reading-order.ts'
import { proseRules } from '../tools/prose/prose-rules.ts'
import { sampleOf } from '../tools/prose/draw-sample.ts'

const words = (count: number) => `Requests ${'wait '.repeat(count - 2)}here.`

/** `found` contains sentences with the fault, and `clean` contains similar sentences without the fault. */
const cases: Record<string, { readonly found: readonly string[]; readonly clean: readonly string[] }> = {
  opening: {
    found: [
      'What is not nothing is seen.',
      'Limits apply. Those of a key come first.',
      'of the first attempt',
      'One process enforces the limit.',
      'one of the accounts',
      '"As a browser sends it."',
      '# Who paid',
      '- None closes for being idle.',
      '| Whose key |\n| --- |\n| key |',
    ],
    clean: [
      'The limit that applies is reported.',
      'One-time codes expire after a minute.',
      '`None` means no limit.',
      'None if the response has no body.',
      'one request per end user',
      'Aspects, onetime, ofcourse and whatever are other words.',
      '| value |\n| --- |\n| none |',
    ],
  },
  question: { found: ['## Does it scale?'], clean: ['## Scale', 'Does it scale?'] },
  length: {
    found: [words(31)],
    clean: [
      words(30),
      `${words(20)} 402 is returned. oxlint ${words(20)}`,
      `${words(20)} ${words(20)}`,
      `${words(16).slice(0, -1)}, e.g. at \`a b c d e f g h i j k l m n o p\`.`,
    ],
  },
  id: {
    found: ['Id of the key', 'Ids of end users are kept.'],
    clean: ['The ID of the key.', 'The field `Id` and https://example.com/Id are names.'],
  },
  none: {
    found: ['Null if there is none.', 'Keys have limits, and none.'],
    clean: ['None.', 'Null if no run exists.'],
  },
  nobody: {
    found: ['The link works for whoever has it.', 'It is charged to nobody.'],
    clean: ['No one reads it.'],
  },
  'at once': { found: ['The key ends at once.'], clean: ['The key expires once it is revoked.'] },
  told: {
    found: ['The client is told the reason.'],
    clean: ['The two cases are told apart by their status.', 'A changed file is told from an old one.'],
  },
  stands: {
    found: ['The value stands in the audit.'],
    clean: ['The stand-in responds, and the standard applies.'],
  },
  'leads to': { found: ['A model name leads to accounts.'], clean: ['The account leads the list.'] },
  beside: { found: ['It is stored beside the request.'], clean: ['Besides the name, the form has a price.'] },
  'asked for': { found: ['The model that was asked for.'], clean: ['The provider is asked again.'] },
  'next call': {
    found: ['It applies from the next call on.'],
    clean: ['It takes effect with the next request.'],
  },
  dear: { found: ['The dearest target is tried last.'], clean: ['The most expensive target is tried last.'] },
  'left out': {
    found: ['Defaults apply if it is left out.', 'Leave it out to keep it.'],
    clean: ['Turn left.'],
  },
  gone: { found: ['The account is gone.'], clean: ['The account was deleted.'] },
  'no more': {
    found: ['The link is worth nothing any more.'],
    clean: ['No more than ten rows are returned.'],
  },
  refused: {
    found: ['The request is refused.'],
    clean: ['The provider may refuse.', 'The account fails if its connections are refused.'],
  },
  role: { found: ['Editing takes the role developer.'], clean: ['Editing requires the developer role.'] },
  'bound by': {
    found: ['The hold is bounded by the balance.'],
    clean: ['The statement is bound by position.'],
  },
  'whole answer': { found: ['It applies to whole answers.'], clean: ['The whole page is read.'] },
  remains: { found: ['It returns what is left of the pool.'], clean: ['The remaining credit is returned.'] },
}

describe('each rule', () => {
  it('each rule has test cases in this file', () => {
    expect(Object.keys(cases)).toEqual(proseRules.map(({ name }) => name))
  })

  for (const [rule, { found, clean }] of Object.entries(cases)) {
    it.each(found)(`the rule ${rule} finds %j`, async (text) => {
      expect(await rulesFound('guide.md', text)).toContain(rule)
    })

    it.each(clean)(`the rule ${rule} does not find %j`, async (text) => {
      expect(await rulesFound('guide.md', text)).not.toContain(rule)
    })
  }
})

describe('a comment', () => {
  it('a sentence of a comment is read over several lines', async () => {
    const source = `// ${'wait '.repeat(20)}\n// ${'wait '.repeat(20)}\nconst a = 1\n`
    expect(await rulesFound('src/a.ts', source)).toEqual(['length'])
  })

  it('a comment is reported at the line in which its sentence starts', async () => {
    const source = '/**\n * The first sentence\n * goes on. What follows is found.\n */\n'
    expect(await placesFound('src/a.ts', source)).toEqual(['src/a.ts:3 What follows is found.'])
  })

  it.each([
    ['of another line', `const a = 1 // ${'wait '.repeat(20)}\nconst b = 2 // ${'wait '.repeat(20)}\n`],
    ['after an empty line', `// ${'wait '.repeat(20)}\n//\n// ${'wait '.repeat(20)}\n`],
    ['that is a list item', `/**\n * - ${'wait '.repeat(20)}\n * - ${'wait '.repeat(20)}\n */\n`],
    ['for a tag', `/**\n * ${'wait '.repeat(20)}\n * @param a ${'wait '.repeat(20)}\n */\n`],
    [
      'of a parameter with a name like a word',
      `/**\n * Waits.\n * @param what the command and its argument\n */\n`,
    ],
    ['in a column', `/**\n *   read   ${'wait '.repeat(20)}\n *   gone   ${'wait '.repeat(20)}\n */\n`],
  ])('a comment %s is a separate sentence', async (_, source) => {
    expect(await rulesFound('src/a.ts', source)).toEqual([])
  })

  it.each([
    ['code spans', '// The value `what is gone` is kept.\n'],
    ['links', '/** Reads {@link whatIsGone at once} again. */\n'],
    ['addresses', '// See https://example.com/at-once/gone for the format.\n'],
    ['instructions to tools', '// oxlint-disable-next-line at once\n/* v8 ignore next: gone */\n'],
    ['fenced code', '/**\n * ```\n * What is gone\n * ```\n */\n'],
    ['strings that look like comments', "const a = '// What is gone'\n"],
  ])('the check of a comment skips %s', async (_, source) => {
    expect(await rulesFound('src/a.ts', source)).toEqual([])
  })
})

describe('Python files', () => {
  it.each([
    ['a docstring', 'def end():\n    """What is\n    gone."""\n', ['src/a.py:2 What is gone.']],
    ['comments below one another', '# What is\n# gone.\n', ['src/a.py:1 What is gone.']],
    ['a field after its value', 'a = 1\n"""What is gone."""\n', ['src/a.py:2 What is gone.']],
    ['no string', 'a = "What # is \\" gone"\nb = f("""What is gone.""")\n', []],
    ['no sign in a string', 'a = "# What is gone"\n', []],
    ['no instruction', '# type: ignore[gone]\n# pyright: gone\n# noqa: gone\n', []],
  ])('the check of a Python file handles %s', async (_, source, places) => {
    expect(await placesFound('src/a.py', source)).toEqual(places)
  })
})

describe('the title of a test', () => {
  it.each([
    "it('what is gone', () => {})",
    "it.each([1])('what is gone', () => {})",
    "describe.skipIf(true)('what is gone', () => {})",
    'it(`what ${1} is gone`, () => {})',
  ])('the title of a test is checked in %j', async (source) => {
    expect(await rulesFound('tests/a.test.ts', source)).toEqual(['opening', 'gone'])
  })

  it('other strings of a test are not checked', async () => {
    expect(await rulesFound('tests/a.test.ts', "expect('What is gone').toBe(1)")).toEqual([])
  })
})

describe('text of pages and of the command line', () => {
  it.each([
    ["const text = 'What is used up is gone.'", 'What is used up is gone.'],
    ["const text = 'The account ' + name + ' is gone.'", 'The account name is gone.'],
    ['const text = `The account ${name} is gone.`', 'The account name is gone.'],
    ['const text = `The account is gone.`', 'The account is gone.'],
    ['const page = <p>The account <b>of Ada</b> is gone.</p>', 'The account of Ada is gone.'],
    ["const page = <p>The account {name}{' is gone.'}</p>", 'The account {name} is gone.'],
    ["const page = <Note text='The account is gone.' />", 'The account is gone.'],
  ])('the check of a page reads the sentence in %s', async (source, sentence) => {
    expect(await placesFound('web/a.tsx', source)).toEqual([`web/a.tsx:1 ${sentence}`])
  })

  it('a sentence on a page is reported once, however its elements are nested', async () => {
    const source = 'const page = <div><p>The account <b>of Ada</b> is gone.</p></div>'
    expect(await rulesFound('web/a.tsx', source)).toEqual(['gone'])
  })

  it('a sentence of a page does not continue in the next paragraph', async () => {
    const source = 'const page = <div><p>The first one</p><p>What follows is used.</p></div>'
    expect(await placesFound('web/a.tsx', source)).toEqual(['web/a.tsx:1 What follows is used.'])
  })

  it('names, classes and values of a page’s elements are not checked', async () => {
    const source =
      "import a from './at once'\nconst b = 'gone'\nconst c = 'grid at once gone'\nconst d = 'Gone now'\n"
    expect(await rulesFound('web/a.tsx', source)).toEqual([])
  })

  it('strings in other folders are not checked', async () => {
    expect(await rulesFound('src/store/a.ts', "const text = 'What is used up is gone.'")).toEqual([])
    expect(await rulesFound('src/domain/errors.ts', "const text = 'The account is gone.'")).toEqual(['gone'])
  })
})

describe('the API document', () => {
  const document = JSON.stringify({
    paths: {
      '/v1/keys': { post: { summary: 'What keys are', description: 'Creates a key.\n\n- It ends at once.' } },
    },
    components: {
      schemas: {
        Key: { properties: { id: { description: 'Id of the key' }, description: { type: 'string' } } },
        Again: { description: 'Id of the key', example: { description: 'What is gone' } },
      },
    },
  })

  it('each text of the API document is checked once, and its examples are not checked', async () => {
    expect(await placesFound('openapi.json', document)).toEqual([
      'openapi.json:paths./v1/keys.post.summary What keys are',
      'openapi.json:paths./v1/keys.post.description It ends at once.',
      'openapi.json:components.schemas.Key.properties.id.description (and 1 more) Id of the key',
    ])
  })
})

describe('an allowed sentence', () => {
  const entry = { file: 'guide.md', pattern: /^The key is gone/, reason: 'Quotes a vendor.' }

  it('an allowed sentence is not reported in its own file, and is reported in every other file', async () => {
    const files = ['guide.md', 'other.md'].map((path) => ({ path, text: 'The key is gone.' }))
    const { findings, unused } = await checkProse(files, [entry])
    expect([findings.map(({ file }) => file), unused]).toEqual([['other.md'], []])
  })

  it('an allowed sentence that its file no longer contains is an error', async () => {
    const { unused } = await checkProse([{ path: 'guide.md', text: 'The key was deleted.' }], [entry])
    expect(unused).toEqual([entry])
  })

  it('an allowed sentence causes no error if its file is not checked', async () => {
    expect((await checkProse([], [entry])).unused).toEqual([])
  })

  it.each(allowed)('the allowed pattern $pattern has a reason', ({ reason }) => {
    expect(reason).toMatch(/^[A-Z].*\.$/)
  })
})

async function rulesFound(path: string, text: string): Promise<string[]> {
  const { findings } = await checkProse([{ path, text }], [])
  return [...new Set(findings.map(({ rule }) => rule))]
}

async function placesFound(path: string, text: string): Promise<string[]> {
  const { findings } = await checkProse([{ path, text }], [])
  return [...new Set(findings.map(({ file, place, sentence }) => `${file}:${place} ${sentence}`))]
}

describe('a sample for readers', () => {
  const files = ['openapi.json', 'docs/a.md', 'web/a.tsx', 'src/a.ts', 'src/b.ts'].map((path) => ({
    path,
    text: textOf(path),
  }))

  it('a sample for readers contains sentences of each kind of text, and names of source files', () => {
    const { names, sentences } = sampleOf(files, '1')
    expect(sentences.map(({ kind, file, sentence }) => [kind, file, sentence])).toEqual([
      ['API', 'openapi.json', 'Returns a key.'],
      ['guides and records', 'docs/a.md', 'Create a key.'],
      ['pages, commands and errors', 'web/a.tsx', 'The key ends here.'],
      ['comments and test titles', expect.stringMatching(/^src/), 'Reads a key.'],
    ])
    expect(names.toSorted()).toEqual(['src/a.ts', 'src/b.ts', 'web/a.tsx'])
  })

  it('a sample for readers depends only on the seed and the files', () => {
    const bySeed = ['1', '1', '2', '3', '4'].map((seed) => sampleOf(files, seed))
    expect(bySeed[0]).toEqual(bySeed[1])
    expect(new Set(bySeed.map(({ names }) => names.join())).size).toBeGreaterThan(1)
  })

  it('a sample for readers omits sentences that STYLE.md shows as bad examples', () => {
    const text = '| before | after |\n| --- | --- |\n| A sentence that is kept short. | A short sentence. |\n'
    const { sentences } = sampleOf([{ path: 'STYLE.md', text }], '1')
    expect(sentences.map(({ sentence }) => sentence).toSorted()).toEqual(['A short sentence.', 'after'])
  })

  function textOf(path: string): string {
    if (path.endsWith('.json')) return JSON.stringify({ summary: 'Returns a key.' })
    if (path.endsWith('.md')) return 'Create a key.\n'
    return path.endsWith('.tsx') ? 'const text = "The key ends here."\n' : '/** Reads a key. */\n'
  }
})

describe('the texts that readers see above a sentence of a sample', () => {
  it.each([
    ['the declaration', '/** Reads a key. */\nfunction a() {}\n', ['function a() {} › Reads a key.']],
    ['no import', '/** Reads keys. */\nimport a from "a"\n', ['Reads keys.']],
    ['the code on its line', 'const a = 1 // Keys.\nconst b = 2\n', ['const a = 1 › Keys.']],
    [
      'the sentence before',
      '// Reads\n// a key. Returns it.\na()\n',
      ['a() › Reads a key.', 'a() › Reads a key. › Returns it.'],
    ],
    [
      'the introduction of a list',
      '/**\n * Reads a key:\n * - the ID\n *   of a key\n * - a name\n */\na()\n',
      ['a() › Reads a key:', 'a() › Reads a key: › - the ID of a key', 'a() › Reads a key: › - a name'],
    ],
    [
      'tags, without the description',
      '/**\n * Reads a key.\n * @param a the key\n * @returns a value\n */\na()\n',
      ['a() › Reads a key.', 'a() › @param a the key', 'a() › @returns a value'],
    ],
  ])('a comment: %s', (_, source, texts) => {
    expect(inContext('src/a.ts', source)).toEqual(texts)
  })

  it('for a docstring, readers see the line above the docstring', () => {
    const source = 'def read():\n    """Reads a key."""\n    # The key.\n    return key\n'
    expect(inContext('sdk/a.py', source)).toEqual(['def read(): › Reads a key.', 'return key › The key.'])
  })

  it('for the title of a test, readers see only the titles of its groups', () => {
    const source =
      "describe('keys', () => { describe('a', () => { it('b') })\nit.each([])('c %s') })\nit('d')"
    expect(inContext('tests/a.test.ts', source)).toEqual([
      'keys',
      'keys › a',
      'keys › a › b',
      'keys › c %s',
      'd',
    ])
  })

  it('for text of a page, readers see values instead of the code that computes them', () => {
    expect(inContext('web/a.tsx', 'const page = <p>The key {a.b} of {`the ${user.name}`} ends.</p>')).toEqual(
      ['The key … of the … ends.'],
    )
    expect(inContext('web/a.tsx', 'const page = <p>The key expires <When at={a} /> or later.</p>')).toEqual([
      'The key expires … or later.',
    ])
    expect(inContext('web/a.tsx', 'const icon = <path d="M1 1 2 2M3 3 4 4M5 5 6 6" />')).toEqual([])
    expect(inContext('web/a.tsx', '// Prints `${a}`.\nconst a = `The key ${b} ends.`\n')).toEqual([
      'const a = `The key ${b} ends.` › Prints `${a}`.',
      'The key … ends.',
    ])
  })

  it('for Markdown, readers see the heading, the introduction of a list, and the column of a cell', () => {
    const guide =
      '# Keys\n\nKeys are:\n\n- secret\n\n| Field |\n| --- |\n| an ID |\n| `id` |\n\n## Use\n\n- Send it.\n'
    expect(inContext('a.md', guide)).toEqual([
      'Keys',
      'Keys › Keys are:',
      'Keys › Keys are: › secret',
      'Keys › Field › Field',
      'Keys › Field › an ID',
      'Use',
      'Use › Send it.',
    ])
  })

  it('for the API document, readers see the operation or the field', () => {
    const properties = { id: { description: 'The ID:\n- of a key' } }
    const document = {
      paths: { '/v1/keys': { post: { summary: 'Create a key' } } },
      components: { schemas: { Key: { properties } } },
    }
    expect(inContext('openapi.json', JSON.stringify(document))).toEqual([
      '/v1/keys post › Create a key',
      'Key id › The ID:',
      'Key id › The ID: › - of a key',
    ])
  })

  function inContext(path: string, text: string): string[] {
    return readableTexts(path, text).map(({ context, sentence }) => [...context, sentence].join(' › '))
  }
})
