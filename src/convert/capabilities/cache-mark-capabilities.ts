import { isNova, isOpenaiPlain } from '#convert/known-restrictions-of-models.ts'
import type { CacheMark, Markable, NeutralRequest, Part } from '#convert/neutral-format.ts'
import type { Capability, Destination } from './capability-type.ts'
import { mapParts } from './find-and-map-parts.ts'

type Place = 'tool' | 'instructions' | 'prompt' | 'answer' | 'result'

interface PlacedMark {
  readonly place: Place
  readonly cache: CacheMark
  readonly field: string | undefined
}

const promptFields: Capability['field'] = {
  chat: 'messages.content.prompt_cache_breakpoint',
  messages: 'cache_control',
  responses: 'input.content.prompt_cache_breakpoint',
  converse: 'messages.content.cachePoint',
}

const toolFields: Capability['field'] = {
  chat: 'tools.cache_control',
  messages: 'tools.cache_control',
  converse: 'toolConfig.tools.cachePoint',
}

const resultFields: Capability['field'] = {
  chat: 'messages.content.prompt_cache_breakpoint',
  responses: 'input.output.prompt_cache_breakpoint',
  messages: 'messages.content.tool_result.cache_control',
  converse: 'messages.content.cachePoint',
}

const fieldsByPlace: Readonly<Record<Place, Capability['field']>> = {
  tool: toolFields,
  instructions: promptFields,
  prompt: promptFields,
  answer: promptFields,
  result: resultFields,
}

const inContent = { chat: ['messages.content.cache_control', 'messages.cache_control'] }

/** See docs/reference/conversions.md "Cache marks". */
export const cacheMarkCapabilities: readonly Capability[] = [
  ofMarks({
    name: 'tools.cache',
    what: 'cache breakpoints on tools',
    field: toolFields,
    otherFields: { chat: ['tools.function.cache_control'] },
    treatment: { chat: 'lost', generate: 'lost', responses: 'lost', converse: 'lost', cohere: 'lost' },
    adapt: without(({ place }) => place === 'tool'),
  }),
  ofMarks({
    name: 'toolResult.cache',
    what: 'cache breakpoints on tool results',
    field: resultFields,
    otherFields: inContent,
    treatment: { chat: 'lost', generate: 'lost', responses: 'lost', converse: 'lost', cohere: 'lost' },
    adapt: without(({ place }) => place === 'result'),
  }),
  ofMarks({
    name: 'cache.prompt',
    what: 'cache breakpoints in the prompt',
    field: promptFields,
    otherFields: inContent,
    treatment: { compatible: 'lost', generate: 'lost', cohere: 'lost' },
    adapt: without(isInPrompt),
  }),
  ofMarks({
    name: 'cache.prompt.converse',
    what: 'cache breakpoints in the prompt, if the model does not support them (models other than Nova)',
    field: promptFields,
    otherFields: inContent,
    treatment: { converse: 'lost' },
    adapt: without((mark, { model }) => !isNova(model) && isInPrompt(mark)),
  }),
  ofMarks({
    name: 'cache.prompt.long',
    what: 'a cache lifetime of an hour, if the model has only the usual lifetime',
    field: promptFields,
    otherFields: inContent,
    treatment: { converse: 'lost' },
    adapt: (marks) => marks.map((mark) => (isInPrompt(mark) ? 'short' : mark.cache)),
  }),
  ofMarks({
    name: 'cache.prompt.plainModel',
    what: 'cache breakpoints in the prompt, if the model does not support them (OpenAI models before GPT-5)',
    field: promptFields,
    otherFields: inContent,
    treatment: { chat: 'lost', compatible: 'carried', responses: 'lost' },
    adapt: without(
      (mark, { wire, model, dialect }) =>
        (wire === 'responses' || dialect === 'openai') && isOpenaiPlain(model) && isInPrompt(mark),
    ),
  }),
  ofMarks({
    name: 'cache.answer',
    what: 'cache breakpoints on texts of the model',
    field: promptFields,
    otherFields: inContent,
    treatment: { responses: 'lost' },
    adapt: without(({ place }) => place === 'answer'),
  }),
  ofMarks({
    name: 'cache.count',
    what: 'cache breakpoints, if there are more than four (the last one on tools, the last one in the instructions, and the latest others are kept)',
    field: promptFields,
    otherFields: inContent,
    treatment: { messages: 'lost', converse: 'lost' },
    adapt: withAtMostFour,
  }),
  ofMarks({
    name: 'cache.longAfterShort',
    what: 'a cache lifetime of an hour after a cache breakpoint with the usual lifetime, sent with the usual lifetime',
    field: promptFields,
    otherFields: inContent,
    treatment: { messages: 'changed' },
    adapt(marks) {
      const short = marks.findIndex(({ cache }) => cache === 'short')
      return marks.map(({ cache }, i) => (short >= 0 && i > short ? 'short' : cache))
    },
  }),
]

/**
 * Anthropic rejects a request with more than four marks. Other projects also limit requests to Nova to four. The prefixes
 * of tools and instructions are kept, because other conversations start with them. The latest marks are kept because
 * the next request of the conversation finds the longest prefix at them.
 */
function withAtMostFour(marks: readonly PlacedMark[]): readonly (CacheMark | null)[] {
  const kept = new Set(
    [
      marks.findLastIndex(({ place }) => place === 'tool'),
      marks.findLastIndex(({ place }) => place === 'instructions'),
    ].filter((i) => i >= 0),
  )
  for (let i = marks.length - 1; i >= 0 && kept.size < marksMax; i--) kept.add(i)
  return marks.map(({ cache }, i) => (kept.has(i) ? cache : null))
}

const marksMax = 4

function isInPrompt({ place }: PlacedMark): boolean {
  return place !== 'tool' && place !== 'result'
}

/** @returns what becomes of each mark; null removes the mark */
type Adapt = (marks: readonly PlacedMark[], to: Destination) => readonly (CacheMark | null)[]

function without(isRemoved: (mark: PlacedMark, to: Destination) => boolean): Adapt {
  return (marks, to) => marks.map((mark) => (isRemoved(mark, to) ? null : mark.cache))
}

function ofMarks({
  adapt,
  ...row
}: Pick<Capability, 'name' | 'what' | 'field' | 'otherFields' | 'treatment'> & {
  readonly adapt: Adapt
}): Capability {
  const changedIn = (request: NeutralRequest, to: Destination): readonly PlacedMark[] => {
    const marks = marksOf(request)
    if (marks.length === 0) return marks
    const adapted = adapt(marks, to)
    return marks.filter(({ cache }, i) => adapted[i] !== cache)
  }
  return {
    ...row,
    isIn: (request, to) => changedIn(request, to).length > 0,
    fieldsIn: (request, to, from) =>
      changedIn(request, to).map(({ field, place }) => field ?? fieldsByPlace[place][from] ?? row.name),
    without(request, to) {
      const adapted = adapt(marksOf(request), to)
      let i = 0
      return mapMarks(request, () => adapted[i++] ?? null)
    },
  }
}

function marksOf(request: NeutralRequest): readonly PlacedMark[] {
  const marks: PlacedMark[] = []
  const add = (place: Place, { cache, cacheField }: Markable): void => {
    if (cache !== null) marks.push({ place, cache, field: cacheField })
  }
  for (const tool of request.tools) add('tool', tool)
  for (const part of request.instructions) add('instructions', part)
  for (const { role, parts } of request.turns) {
    for (const part of parts) {
      if (part.kind === 'tool_result') for (const inner of part.parts) add('result', inner)
      if ('cache' in part) add(placeOf(part, role), part)
    }
  }
  return marks
}

function placeOf({ kind }: Part, role: string): Place {
  if (kind === 'tool_result') return 'result'
  return role === 'assistant' ? 'answer' : 'prompt'
}

/** Changes the marks in the order of `marksOf`, in which Anthropic reads them. */
function mapMarks(request: NeutralRequest, change: () => CacheMark | null): NeutralRequest {
  const changed = <Marked extends Markable>(marked: Marked): Marked =>
    marked.cache === null ? marked : { ...marked, cache: change() }
  const tools = request.tools.map(changed)
  const instructions = request.instructions.map(changed)
  const adapted = mapParts(request, (part) => {
    if (part.kind === 'tool_result') return [changed({ ...part, parts: part.parts.map(changed) })]
    return ['cache' in part ? changed(part) : part]
  })
  return { ...adapted, tools, instructions }
}
