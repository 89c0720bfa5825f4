/**
 * STYLE.md "Prose" gives the reasons. A rule checks one sentence at a time, in which code and URLs are replaced by
 * neutral words. If a rule reports correct sentences, narrow the rule here, and add such a sentence to
 * tests/rules-of-prose-check.test.ts. Add a sentence to `allowed-sentences.ts` only if its words must not change.
 */
import type { Sentence } from './split-into-sentences.ts'

export interface ProseRule {
  readonly name: string
  readonly finds: (sentence: Pick<Sentence, 'words' | 'isHeading'>) => boolean
  /** The text that the message suggests after the word "write". */
  readonly instead: string
}

const wordsMax = 30

export const proseRules: readonly ProseRule[] = [
  {
    name: 'opening',
    // A single word such as "none" is a value in a table. In lower case, "one" is a number: "one row per model". In
    // "None if", "None" is Python's value.
    finds: ({ words }) =>
      /^["'“‘(*_[]*(?:What|Of|One|As|Who|Those|Which|Whose|That|None(?! (?:if|before)\b)|Nobody|Whoever)(?![-\w/]).*\s/.test(
        words,
      ) ||
      /^["'“‘(*_[]*(?:what|of|one (?:of|that|who|which|where)|as|who|those|which|whose|that|none|nobody|whoever)(?![-\w/]).*\s/.test(
        words,
      ),
    instead: 'the subject first, then a verb',
  },
  {
    name: 'question',
    finds: ({ words, isHeading }) => isHeading && words.endsWith('?'),
    instead: 'a heading that names the topic or the task',
  },
  {
    name: 'length',
    finds: ({ words }) => words.split(' ').filter((word) => /[\p{L}\p{N}]/u.test(word)).length > wordsMax,
    instead: `two sentences, or a list: a sentence has at most ${wordsMax} words`,
  },
  phrase('id', /\bIds?\b/, '"ID"', { isExact: true }),
  phrase('none', /\b(?:is|are|was|were) none\b|\band none(?=[.,;:)]|$)/, 'the noun: "no key exists"'),
  phrase(
    'nobody',
    /\b(?:nobody|somebody|whoever|whomever)\b/,
    'the caller, an admin, the end user, or "no one"',
  ),
  phrase('at once', /\bat once\b/, '"immediately" or "concurrently"'),
  // "told apart" and "told from" are allowed, because they mean distinguished.
  phrase(
    'told',
    /\b(?:is|are|was|were|be|being) told\b(?! (?:apart|from)\b)/,
    '"is reported" or "is returned"',
  ),
  phrase('stands', /\bstands?\b(?!-)/, 'a standard verb: "is", "resolves to", "applies"'),
  phrase('leads to', /\bleads? to\b/, '"routes to" or "resolves to"'),
  // The word is allowed next to a hyphen, because file names contain it.
  phrase('beside', /(?<!-)\bbeside\b(?!-)/, '"alongside" or "in addition to"'),
  phrase('asked for', /\basked for\b/, '"requested"'),
  phrase('next call', /\bfrom the next (?:call|request|one) on\b/, '"starting with the next request"'),
  phrase('dear', /\b(?:dear|dearer|dearest)\b/, '"expensive", "more expensive"'),
  phrase('left out', /\b(?:left|leave|leaves|leaving) \w+ out\b|\bleft out\b/, '"omitted"'),
  phrase('gone', /\bgone\b/, '"deleted", "expired" or "revoked"'),
  phrase(
    'no more',
    /\bthere no more\b|\bnot there any more\b|\bworth nothing\b/,
    '"deleted" or "no longer valid"',
  ),
  // "Refused" is allowed for connections, because a host refuses them.
  phrase(
    'refused',
    /(?<!\bconnections? )\b(?:is|are|was|were|be|been|being) refused\b/,
    '"is rejected" or "returns 402"',
  ),
  phrase('role', /\btakes? the role\b/, '"requires the X role"'),
  // "Bound" is allowed for SQL, because SQL binds values by position.
  phrase('bound by', /\bbound(?:ed)? by\b(?! (?:position|name)\b)/, '"limited by"'),
  phrase('whole answer', /\bwhole answers?\b/, '"non-streaming response"'),
  phrase('remains', /\bwhat (?:is left|remains)\b/, '"remaining balance" or "remaining credit"'),
]

function phrase(
  name: string,
  pattern: RegExp,
  instead: string,
  { isExact = false }: { readonly isExact?: boolean } = {},
): ProseRule {
  const found = isExact ? pattern : new RegExp(pattern, 'i')
  return { name, finds: ({ words }) => found.test(words), instead }
}
