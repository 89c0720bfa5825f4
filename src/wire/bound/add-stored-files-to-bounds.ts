import { byteTextOf } from '#wire/text/byte-text.ts'
import type { Edit } from '#wire/text/apply-edits.ts'
import { placesWith } from '#wire/positions-to-edit.ts'
import type { ContainerUse, StoredContainer } from '#wire/container-use-types.ts'
import type { FileUse, StoredFile } from '#wire/file-use-types.ts'
import { isFault, type WireRequest } from '#wire/wire-request.ts'
import { contextTokensMax } from './assumed-token-maxima.ts'
import { ImageBounds, sumOfImages } from './image-bounds.ts'
import { fetchedTokensUsual } from './input-bound.ts'

/** Maximum tokens that a provider adds to a file, for the file's name and type. */
const framingTokens = 64

/**
 * Returns the request with the provider's file IDs, and with bounds that include the sizes of the files.
 * @param open decrypts the client's file ID into the provider's ID; may throw
 */
export function withFiles(request: WireRequest, open: (use: FileUse) => StoredFile): WireRequest {
  const { files: uses, places, run } = request
  const dropped = run && !isFault(run.dropped) ? withFiles(run.dropped, open) : run?.dropped
  const rest = run !== undefined && dropped !== undefined && { run: { ...run, dropped } }
  if (uses === undefined) return { ...request, ...rest }
  const files = uses.map((use) => ({ ...use, stored: open(use) }))
  let images: ImageBounds | null = null
  let tokens = 0
  let soundTokens = 0
  for (const { framesPerSecond = 1, isCited, isImage, isLowDetail, isUpload, stored } of files) {
    tokens += framingTokens
    if (isUpload) continue
    soundTokens += stored.soundTokens ?? 0
    if (isImage || stored.medium === 'image' || stored.pixels !== null)
      (images ??= new ImageBounds()).addSize(stored.pixels, isLowDetail)
    else tokens += (isCited ? stored.citedTokens : stored.tokens) * Math.ceil(framesPerSecond)
  }
  const more = Math.min(tokens, contextTokensMax)
  const moreSound = Math.min(soundTokens, contextTokensMax)
  const isLarge = files.some((use) => use.isLarge)
  const unknown = files.filter(({ stored }) => stored.soundTokens === null).length
  const estimate = (images?.estimate() ?? 0) + Math.ceil(more / 8) + moreSound + fetchedTokensUsual * unknown
  const edits = files.map(({ before = '', place, stored }): Edit => ({
    ...place,
    text: byteTextOf(JSON.stringify(before + stored.id)),
  }))
  return {
    ...request,
    ...rest,
    files,
    textTokensMax: request.textTokensMax + more,
    audioTokensMax: request.audioTokensMax + moreSound,
    images: images === null ? request.images : sumOfImages(request.images, images.total(isLarge)),
    ...(unknown > 0 && { fetched: 'any' }),
    inputEstimate: request.inputEstimate + estimate,
    mediaEstimate: request.mediaEstimate + estimate,
    places: placesWith(places, edits),
  }
}

/** Returns the request with the provider's IDs of files that code has created earlier in the conversation. */
export function withOwnIds(request: WireRequest, open: (id: string) => string | null): WireRequest {
  const { codeFiles, places, run } = request
  if (codeFiles === undefined) return request
  const edits = codeFiles.flatMap(({ id, place }): Edit[] => {
    const own = open(id)
    return own === null ? [] : [{ ...place, text: byteTextOf(JSON.stringify(own)) }]
  })
  const dropped = run && (isFault(run.dropped) ? run.dropped : withOwnIds(run.dropped, open))
  return {
    ...request,
    places: placesWith(places, edits),
    ...(run && dropped && { run: { ...run, dropped } }),
  }
}

/**
 * Returns the request with the provider's container IDs.
 * @param open decrypts the client's container ID into the provider's ID; may throw
 */
export function withContainers(
  request: WireRequest,
  open: (use: ContainerUse) => StoredContainer,
): WireRequest {
  const { containers: uses, places, run } = request
  const dropped = run && !isFault(run.dropped) ? withContainers(run.dropped, open) : run?.dropped
  const rest = run !== undefined && dropped !== undefined && { run: { ...run, dropped } }
  if (uses === undefined) return { ...request, ...rest }
  const containers = uses.map((use) => ({ ...use, stored: open(use) }))
  const edits = containers.map(({ place, stored }): Edit => ({
    ...place,
    text: byteTextOf(JSON.stringify(stored.id)),
  }))
  return { ...request, ...rest, containers, places: placesWith(places, edits) }
}
