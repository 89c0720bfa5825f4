import { chat } from './chat/wire.ts'
import { cohere } from './cohere/wire.ts'
import { cohereEmbed } from './cohere-embed/wire.ts'
import { compact } from './compact/wire.ts'
import { completions } from './completions/wire.ts'
import { converse } from './converse/wire.ts'
import { batchEmbedContents, embedContent } from './embed-content/wire.ts'
import { embeddings } from './embeddings/wire.ts'
import { generate } from './generate/wire.ts'
import { imageEdits, images } from './images/wire.ts'
import { messages } from './messages/wire.ts'
import { invokeEmbeddings } from './invoke-embeddings/wire.ts'
import type { FormatName } from './names-of-wires-and-tasks.ts'
import { moderations } from './moderations/wire.ts'
import { rerank } from './rerank/wire.ts'
import { responses } from './responses/wire.ts'
import { speech } from './speech/wire.ts'
import { transcriptions, translations } from './transcriptions/wire.ts'
import type { Wire } from './wire.ts'

export const wires: Readonly<Record<FormatName, Wire>> = {
  chat,
  messages,
  generate,
  responses,
  converse,
  cohere,
  embeddings,
  embed_content: embedContent,
  batch_embed_contents: batchEmbedContents,
  invoke_embeddings: invokeEmbeddings,
  cohere_embed: cohereEmbed,
  moderations,
  completions,
  rerank,
  images,
  image_edits: imageEdits,
  speech,
  transcriptions,
  translations,
  compact,
}
