import type { WireName } from '#wire/names-of-wires-and-tasks.ts'
import { isNova } from '#convert/known-restrictions-of-models.ts'
import { textOf } from '#wire/text/byte-text.ts'
import { formatOf, videoFormatOf } from '#convert/converse/document-and-video-formats.ts'
import { fetchedType } from '#convert/generate/media-type-of-address.ts'
import type { FilePart, ImagePart, NeutralRequest, Part, TextPart, Turn } from '#convert/neutral-format.ts'
import { joinTurns } from '#convert/turns-and-content.ts'
import type { Capability, Destination } from './capability-type.ts'
import { mapMedia, mediaOf, partsOf, resultsFirst } from './find-and-map-parts.ts'
import { resultsOf, toolResultMediaCapabilities } from './tool-result-media-capabilities.ts'

const documentFields: Capability['field'] = {
  chat: 'messages.content.file',
  messages: 'messages.content.source.url',
  responses: 'input.content.file_url',
}

const unmeasuredVideoFields: Capability['field'] = {
  chat: 'messages.content.file',
  messages: 'messages.content.source',
  responses: 'input.content.file_data',
}

const ofKnownType = 'the provider of this model fetches only public addresses whose path ends in'

export const mediaCapabilities: readonly Capability[] = [
  {
    name: 'image.url',
    what: 'images by URL',
    field: {
      chat: 'messages.content.image_url',
      messages: 'messages.content.source.url',
      responses: 'input.content.image_url',
      generate: 'contents.parts.fileData',
      cohere: 'messages.content.image_url',
    },
    treatment: { converse: 'refused' },
    isIn: (request) => mediaOf(request).some(({ kind, source }) => kind === 'image' && source.kind === 'url'),
    refusal: 'the provider of this model fetches no images; send the image as base64 data',
  },
  {
    name: 'image.url.type',
    what: 'images by URL, unless the URL is public and its path ends in .png, .jpg, .jpeg, .webp, .heic or .heif',
    field: {
      chat: 'messages.content.image_url',
      messages: 'messages.content.source.url',
      responses: 'input.content.image_url',
      cohere: 'messages.content.image_url',
    },
    treatment: { generate: 'refused' },
    isIn: (request) => mediaOf(request).some((part) => part.kind === 'image' && isUnfetched(part)),
    refusal: `${ofKnownType} .png, .jpg, .jpeg, .webp, .heic or .heif; send the image as base64 data`,
  },
  {
    name: 'image.type',
    what: 'images that are not JPEG, PNG, GIF or WebP',
    field: {
      chat: 'messages.content.image_url',
      generate: 'contents.parts.inlineData.mimeType',
      responses: 'input.content.image_url',
      converse: 'messages.content.image.format',
      cohere: 'messages.content.image_url',
    },
    treatment: {
      chat: 'refused',
      compatible: 'carried',
      messages: 'refused',
      responses: 'refused',
      converse: 'refused',
      cohere: 'refused',
    },
    isIn: (request) =>
      mediaOf(request).some(
        ({ kind, source }) =>
          kind === 'image' && source.kind === 'data' && !commonImages.has(source.mediaType),
      ),
    refusal: 'the provider of this model accepts only JPEG, PNG, GIF and WebP images',
  },
  {
    name: 'image.detail',
    what: 'the detail setting of an image',
    field: {
      chat: 'messages.content.image_url.detail',
      responses: 'input.content.detail',
      cohere: 'messages.content.image_url.detail',
    },
    treatment: { messages: 'lost', generate: 'lost', converse: 'lost' },
    isIn: (request) => detailsOf(request).some((detail) => detail !== null && detail !== 'auto'),
    without: withoutDetail,
  },
  {
    name: 'image.detail.auto',
    what: 'the detail setting of an image, if it is the default',
    field: {
      chat: 'messages.content.image_url.detail',
      responses: 'input.content.detail',
      cohere: 'messages.content.image_url.detail',
    },
    treatment: { messages: 'irrelevant', generate: 'irrelevant', converse: 'irrelevant' },
    isIn: (request) => detailsOf(request).includes('auto'),
    without: withoutDetail,
  },
  {
    name: 'file.url',
    what: 'documents by URL',
    field: { ...documentFields, generate: 'contents.parts.fileData' },
    treatment: { chat: 'refused', converse: 'refused', cohere: 'refused' },
    isIn: (request) => filesOf(request).some(({ source }) => source.kind === 'url'),
    refusal: 'the provider of this model fetches no documents; send the document as base64 data',
  },
  {
    name: 'file.url.type',
    what: 'documents by URL, unless the URL is public and its path ends in .pdf, or the wire format states that it is a PDF',
    field: documentFields,
    treatment: { generate: 'refused' },
    isIn: (request) => filesOf(request).some(isUnfetched),
    refusal: `${ofKnownType} .pdf; send the document as base64 data`,
  },
  {
    name: 'file.textData',
    what: 'text files as data',
    field: {
      chat: 'messages.content.file',
      generate: 'contents.parts.inlineData',
      responses: 'input.content.file_data',
      converse: 'messages.content.document.source.bytes',
    },
    treatment: { chat: 'emulated', messages: 'emulated', converse: 'emulated', cohere: 'emulated' },
    isIn: (request) => filesOf(request).some(isTextData),
    without: (request) =>
      mapMedia(request, (part) => (part.kind === 'file' && isTextData(part) ? decoded(part) : part)),
  },
  {
    name: 'video',
    what: 'videos, except for Nova, which accepts MP4, WebM, QuickTime and 3GP',
    field: {
      ...unmeasuredVideoFields,
      generate: 'contents.parts.inlineData',
      converse: 'messages.content.video',
    },
    treatment: {
      chat: 'refused',
      messages: 'refused',
      responses: 'refused',
      converse: 'refused',
      cohere: 'refused',
    },
    isIn: (request, to, from) =>
      filesOf(request).some((file) => isVideo(file) && !isVideoOfNova(file, to, from)),
    refusal: 'the provider of this model does not accept this video; send single frames as images',
  },
  {
    name: 'video.unmeasured',
    what: 'videos as files, whose length the hold does not cover',
    field: unmeasuredVideoFields,
    treatment: { generate: 'refused' },
    isIn: (request, _to, from) => from !== 'converse' && filesOf(request).some(isVideo),
    refusal: 'a video as a file has no limit on its tokens; send single frames as images',
  },
  {
    name: 'video.toolResult',
    what: 'videos in tool results',
    field: { converse: 'messages.content.toolResult.content' },
    treatment: { generate: 'refused' },
    isIn: (request) =>
      resultsOf(request).some(({ parts }) => parts.some((part) => part.kind === 'file' && isVideo(part))),
    refusal: 'the provider of this model accepts no videos in tool results; send the video in a user message',
  },
  {
    name: 'file.data',
    what: 'documents that are not text',
    field: {
      chat: 'messages.content.file',
      messages: 'messages.content.source',
      generate: 'contents.parts.inlineData',
      responses: 'input.content.file_data',
      converse: 'messages.content.document.source.bytes',
    },
    treatment: { cohere: 'refused' },
    isIn: (request) => filesOf(request).some((file) => !isText(file) && !isVideo(file)),
    refusal: 'the provider of this model accepts only text documents; send the text of the document',
  },
  {
    name: 'file.office',
    what: 'documents that are neither PDF, text, Word nor Excel',
    field: {
      chat: 'messages.content.file',
      messages: 'messages.content.source',
      generate: 'contents.parts.inlineData.mimeType',
      responses: 'input.content.file_data',
    },
    treatment: { converse: 'refused' },
    isIn: (request) =>
      filesOf(request).some((file) => !isText(file) && !isVideo(file) && formatOf(file) === null),
    refusal: 'the provider of this model accepts only PDF, text, Word and Excel documents',
  },
  {
    name: 'file.type',
    what: 'documents that are neither PDF nor text',
    field: {
      chat: 'messages.content.file',
      generate: 'contents.parts.inlineData.mimeType',
      responses: 'input.content.file_data',
      converse: 'messages.content.document.format',
    },
    treatment: { chat: 'refused', messages: 'refused', generate: 'refused' },
    isIn: (request) =>
      filesOf(request).some(
        (file) =>
          file.source.kind === 'data' && file.source.mediaType !== pdf && !isTextData(file) && !isVideo(file),
      ),
    refusal: 'the provider of this model accepts only PDF and text documents',
  },
  {
    name: 'file.text',
    what: 'text documents, sent as plain text with their names',
    field: {
      chat: 'messages.content.file',
      messages: 'messages.content.source',
      converse: 'messages.content.document.source',
      cohere: 'documents',
    },
    treatment: {
      chat: 'changed',
      generate: 'changed',
      responses: 'changed',
      converse: 'changed',
      cohere: 'changed',
    },
    isIn: (request) => filesOf(request).some(({ source }) => source.kind === 'text'),
    without: (request) => mapMedia(request, (part) => (part.kind === 'file' ? (asText(part) ?? part) : part)),
  },
  {
    name: 'file.name',
    what: 'the names of documents',
    field: {
      chat: 'messages.content.file.filename',
      messages: 'messages.content.title',
      responses: 'input.content.filename',
      converse: 'messages.content.document.name',
      cohere: 'documents.id',
    },
    treatment: { generate: 'lost', converse: 'lost' },
    isIn: (request) => filesOf(request).some(({ name }) => name !== null),
    without: (request) =>
      mapMedia(request, (part) => (part.kind === 'file' ? { ...part, name: null } : part)),
  },
  {
    name: 'file.url.name',
    what: 'the names of documents by URL',
    field: { chat: 'messages.content.file.filename', messages: 'messages.content.title' },
    treatment: { responses: 'lost' },
    isIn: (request) => filesOf(request).some((part) => part.name !== null && part.source.kind === 'url'),
    without: (request) =>
      mapMedia(request, (part) =>
        part.kind === 'file' && part.source.kind === 'url' ? { ...part, name: null } : part,
      ),
  },
  {
    name: 'audio',
    what: 'audio',
    field: { chat: 'messages.content.input_audio', generate: 'contents.parts.inlineData' },
    treatment: { messages: 'refused', responses: 'refused', converse: 'refused', cohere: 'refused' },
    isIn: (request) => partsOf(request).some(({ kind }) => kind === 'audio'),
    refusal: 'the provider of this model does not accept audio; send a transcript',
  },
  {
    name: 'audio.type',
    what: 'audio that is neither WAV nor MP3',
    field: { chat: 'messages.content.input_audio.format', generate: 'contents.parts.inlineData.mimeType' },
    treatment: { chat: 'refused' },
    isIn: (request) =>
      partsOf(request).some((part) => part.kind === 'audio' && !commonAudio.has(part.mediaType)),
    refusal: 'the provider of this model accepts only WAV and MP3 audio',
  },
  ...toolResultMediaCapabilities,
  {
    name: 'turns.answerMedia',
    what: 'images, documents and audio in earlier answers of a model, moved to the user message that follows, between marks',
    field: {
      chat: 'messages.content',
      messages: 'messages.content',
      generate: 'contents.parts.inlineData',
      responses: 'input.image_generation_call',
      converse: 'messages.content',
      cohere: 'messages.content',
    },
    treatment: {
      chat: 'changed',
      messages: 'changed',
      responses: 'changed',
      converse: 'changed',
      cohere: 'changed',
    },
    isIn: ({ turns }) => turns.some(({ parts, role }) => role === 'assistant' && parts.some(isMedium)),
    without: withMediaAfterAnswers,
  },
]

const pdf = 'application/pdf'
const commonImages = new Set(['image/jpeg', 'image/png', 'image/gif', 'image/webp'])
const commonAudio = new Set(['audio/wav', 'audio/mpeg'])

function filesOf(request: NeutralRequest): readonly FilePart[] {
  return mediaOf(request).filter((part) => part.kind === 'file')
}

function isUnfetched(part: ImagePart | FilePart): boolean {
  return part.source.kind === 'url' && fetchedType(part) === null
}

function detailsOf(request: NeutralRequest): readonly unknown[] {
  return mediaOf(request).map((part) => (part.kind === 'image' ? part.detail : null))
}

function withoutDetail(request: NeutralRequest): NeutralRequest {
  return mapMedia(request, (part) => (part.kind === 'image' ? { ...part, detail: null } : part))
}

/** The hold covers Nova's videos only in the generate format. */
function isVideoOfNova(file: FilePart, { model, wire }: Destination, from: WireName): boolean {
  return wire === 'converse' && from === 'generate' && isNova(model) && videoFormatOf(file) !== null
}

function isVideo({ source }: FilePart): boolean {
  return source.kind === 'data' && source.mediaType.startsWith('video/')
}

function isText(file: FilePart): boolean {
  return file.source.kind !== 'data' || isTextData(file)
}

function isTextData({ source }: FilePart): boolean {
  return source.kind === 'data' && source.mediaType.startsWith('text/')
}

function decoded(part: FilePart): FilePart {
  if (part.source.kind !== 'data') return part
  try {
    return { ...part, source: { kind: 'text', text: textOf(atob(part.source.data)) } }
  } catch {
    // Some clients send the text itself instead of base64.
    return { ...part, source: { kind: 'text', text: part.source.data } }
  }
}

function asText({ source, name, cache }: FilePart): TextPart | null {
  if (source.kind !== 'text') return null
  return { kind: 'text', text: name === null ? source.text : `${name}\n\n${source.text}`, cache }
}

function isMedium({ kind }: Part): boolean {
  return kind === 'image' || kind === 'file' || kind === 'audio'
}

/**
 * Moves the model's media to the next user turn, because only Gemini reads media in model turns. Tags around the media
 * show other models that the media do not come from the user.
 */
function withMediaAfterAnswers(request: NeutralRequest): NeutralRequest {
  const turns: Turn[] = []
  let waiting: readonly Part[] = []
  const marked = (media: readonly Part[]): readonly Part[] =>
    media.length === 0 ? [] : [plainText('<assistant>'), ...media, plainText('</assistant>')]
  for (const { role, parts } of request.turns) {
    if (role === 'assistant') {
      waiting = [...waiting, ...parts.filter(isMedium)]
      turns.push({ role, parts: parts.filter((part) => !isMedium(part)) })
    } else if (role === 'user') {
      turns.push({ role, parts: resultsFirst([...marked(waiting), ...parts]) })
      waiting = []
    } else turns.push({ role, parts })
  }
  return { ...request, turns: joinTurns([...turns, { role: 'user', parts: marked(waiting) }]) }
}

function plainText(text: string): TextPart {
  return { kind: 'text', text, cache: null }
}
