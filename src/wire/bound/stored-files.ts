import { byteTextOf } from '#wire/text/byte-text.ts'
import type { Edit } from '#wire/text/splice.ts'
import type { ContainerUse, StoredContainer } from '#wire/container-use.ts'
import type { StoredFile } from '#wire/file-uses.ts'
import { isFault, type WireRequest } from '#wire/wire-request.ts'
import { contextTokensMax } from './context-tokens.ts'
import { ImageBounds, sumOfImages } from './image-bounds.ts'

/** Tokens that a provider may put around a file: its name and its type. */
const framingTokens = 64

/**
 * Returns the request with the provider's IDs of its files. The bounds include the sizes of the files.
 * @param open opens an ID; may throw
 */
export function withFiles(request: WireRequest, open: (id: string) => StoredFile): WireRequest {
  const { files: uses, places, run } = request
  const dropped = run && !isFault(run.dropped) ? withFiles(run.dropped, open) : run?.dropped
  const rest = run !== undefined && dropped !== undefined && { run: { ...run, dropped } }
  if (uses === undefined) return { ...request, ...rest }
  const files = uses.map((use) => ({ ...use, stored: open(use.id) }))
  let images: ImageBounds | null = null
  let tokens = 0
  for (const { isCited, isImage, isLowDetail, isUpload, stored } of files) {
    tokens += framingTokens
    if (isUpload) continue
    if (isImage || stored.pixels !== null) (images ??= new ImageBounds()).addSize(stored.pixels, isLowDetail)
    else tokens += isCited ? stored.citedTokens : stored.tokens
  }
  const more = Math.min(tokens, contextTokensMax)
  const estimate = (images?.estimate() ?? 0) + Math.ceil(more / 8)
  const edits = files.map(({ place, stored }): Edit => ({
    ...place,
    text: byteTextOf(JSON.stringify(stored.id)),
  }))
  const { always, alwaysAtOpenai } = places
  return {
    ...request,
    ...rest,
    files,
    textTokensMax: request.textTokensMax + more,
    images: images === null ? request.images : sumOfImages(request.images, images.total(false)),
    inputEstimate: request.inputEstimate + estimate,
    mediaEstimate: request.mediaEstimate + estimate,
    places: {
      ...places,
      always: [...always, ...edits],
      ...(alwaysAtOpenai && { alwaysAtOpenai: [...alwaysAtOpenai, ...edits] }),
    },
  }
}

/** Returns the request with the provider's ID of its container. */
export function withContainer(
  request: WireRequest,
  container: ContainerUse,
  stored: StoredContainer,
): WireRequest {
  const { places } = request
  const edit = { ...container.place, text: byteTextOf(JSON.stringify(stored.id)) }
  return {
    ...request,
    container: { ...container, stored },
    places: { ...places, always: [...places.always, edit] },
  }
}
