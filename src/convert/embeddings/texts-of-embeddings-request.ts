import { camelKeys, listOrOne } from '#wire/generate/fields-in-either-spelling.ts'
import { familyFields } from '#wire/invoke-embeddings/formats-by-embedding-family.ts'
import { isAbsent, listOf, objectOf, type JsonObject, type JsonValue } from '#wire/text/json-values.ts'
import { bodyOf, mustBe, refuse, refuseForRoute, type WireRequest } from '#wire/wire-request.ts'

interface ClientTexts {
  readonly texts: readonly string[]
  /** Null if the request sets no number of dimensions. */
  readonly dimensions: JsonValue
  /** Cohere's name of the purpose. Null if the request states no purpose that has a name at Cohere. */
  readonly inputType: JsonValue
  /** Only OpenAI's format has this option. */
  readonly isBase64: boolean
  /** No other format has these fields. */
  readonly lost: readonly string[]
}

/** @throws RequestFault for content that is not text */
export function textsOf(request: WireRequest): ClientTexts {
  if (request.wire === 'embeddings') return openaiTexts(request)
  if (request.wire === 'invoke_embeddings') return bedrockTexts(request)
  return request.wire === 'cohere_embed' ? cohereTexts(bodyOf(request)) : geminiTexts(request)
}

export function isGeminis({ wire }: WireRequest): boolean {
  return wire === 'embed_content' || wire === 'batch_embed_contents'
}

function openaiTexts(request: WireRequest): ClientTexts {
  const {
    dimensions = null,
    encoding_format: format,
    input,
    model: _,
    stream: __,
    svc: ___,
    ...others
  } = bodyOf(request)
  if (!isAbsent(format) && format !== 'float' && format !== 'base64')
    mustBe('encoding_format', 'float or base64')
  const texts = (typeof input === 'string' ? [input] : listOf(input)).map((text) =>
    typeof text === 'string'
      ? text
      : refuseForRoute(
          'input',
          'the provider of this model accepts only text, and the request contains tokens of a tokenizer. Send text',
        ),
  )
  const { input_type: inputType = null } = others
  return { texts, dimensions, inputType, isBase64: format === 'base64', lost: namesOf(others) }
}

function bedrockTexts(request: WireRequest): ClientTexts {
  const { svc: _, ...body } = bodyOf(request)
  switch (familyFields.find(([field]) => field in body)?.[1]) {
    case 'titan': {
      const { dimensions = null, embeddingTypes, inputText, ...others } = body
      refuseOtherTypes('embeddingTypes', embeddingTypes)
      return textsWith([String(inputText)], dimensions, others)
    }
    case 'nova': {
      const { singleEmbeddingParams, taskType: __, ...others } = body
      const { embeddingDimension = null, text, ...settings } = objectOf(singleEmbeddingParams)
      const { value, ...ends } = objectOf(text)
      return textsWith([String(value)], embeddingDimension, { ...others, ...settings, ...ends })
    }
    default:
      return cohereTexts(body)
  }
}

function cohereTexts(body: JsonObject): ClientTexts {
  const {
    embedding_types: types,
    images,
    inputs,
    model: _,
    output_dimension = null,
    stream: __,
    svc: ___,
    texts,
    ...others
  } = body
  const textsOfInputs = listOf(inputs).map(textOfInput)
  if (!isAbsent(images)) refuseForRoute('images', onlyText)
  refuseOtherTypes('embedding_types', types)
  const { input_type: inputType = null } = others
  const all = [...listOf(texts).map(String), ...textsOfInputs]
  return { ...textsWith(all, output_dimension, others), inputType }
}

/** The other formats cannot create one vector for an input of several parts. */
function textOfInput(input: JsonValue): string {
  const [part, ...others] = listOf(objectOf(input)['content']).map(objectOf)
  const text = part?.['text']
  return typeof text === 'string' && others.length === 0 ? text : refuseForRoute('inputs', onlyText)
}

const onlyText = 'the provider of this model creates embeddings only of single texts. Send texts'

function textsWith(texts: readonly string[], dimensions: JsonValue, others: JsonObject): ClientTexts {
  return { texts, dimensions, inputType: null, isBase64: false, lost: namesOf(others) }
}

function refuseOtherTypes(param: string, types: JsonValue): void {
  if (listOf(types).some((type) => type !== 'float'))
    refuseForRoute(param, 'the provider of this model returns only numbers of the type float')
}

function geminiTexts(request: WireRequest): ClientTexts {
  const { entries, outside } = geminiEntries(request)
  const lost = new Set([...outside, ...entries.flatMap(({ settings }) => namesOf(settings))])
  return {
    texts: entries.map(({ content, param }) => textOfContent(content, param)),
    dimensions: dimensionsOf(entries),
    inputType: null,
    isBase64: false,
    lost: [...lost],
  }
}

interface GeminiEntry {
  /** For an error message. */
  readonly param: string
  readonly content: JsonValue
  readonly dimensions: JsonValue
  /** Includes the settings in `embedContentConfig`, but not the model and the dimensions. */
  readonly settings: JsonObject
}

/** Also returns the names of the fields that are outside of all entries. */
export function geminiEntries(request: WireRequest): {
  readonly entries: readonly GeminiEntry[]
  readonly outside: readonly string[]
} {
  const isBatch = request.wire === 'batch_embed_contents'
  const { svc: _, ...body } = camelKeys(bodyOf(request))
  const { requests, ...outer } = body
  const all = isBatch ? listOf(requests).map((entry) => camelKeys(objectOf(entry))) : [body]
  const entries = all.map((entry, index) => {
    const { content = null, embedContentConfig, model: __, outputDimensionality, ...others } = entry
    const { outputDimensionality: configured, ...config } = camelKeys(objectOf(embedContentConfig))
    return {
      param: isBatch ? `requests.${index}.content` : 'content',
      content,
      dimensions: outputDimensionality ?? configured ?? null,
      settings: { ...others, ...config },
    }
  })
  return { entries, outside: isBatch ? namesOf(outer).filter((name) => name !== 'model') : [] }
}

/** Rejects a request whose entries request different dimensions. */
export function dimensionsOf(entries: readonly GeminiEntry[]): JsonValue {
  const [size = null, ...others] = new Set(entries.map(({ dimensions }) => dimensions))
  if (others.length > 0)
    refuseForRoute(
      'requests',
      'the provider of this model requires the same number of dimensions for all texts of a request',
    )
  return size
}

/** Google joins the parts of a content to one text. The formats of other vendors can express only text. */
export function textOfContent(content: JsonValue, param: string): string {
  const { parts } = camelKeys(objectOf(content))
  const texts = listOrOne(parts).map((part) => {
    const { text, ...others } = objectOf(part)
    if (typeof text !== 'string' || namesOf(others).length > 0)
      return refuseForRoute(`${param}.parts`, 'the provider of this model creates embeddings only of text')
    return text
  })
  if (texts.length === 0) refuse('invalid_request', param, `The field ${param} must have parts with text.`)
  return texts.join('')
}

export function namesOf(fields: JsonObject): string[] {
  return Object.keys(fields).filter((name) => !isAbsent(fields[name]))
}
