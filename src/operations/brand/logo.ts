import * as z from 'zod'
import { logoTypes } from '#domain/portal-brand.ts'
import { Failure } from '#domain/errors.ts'
import { sidePxMax } from '#domain/images/image-reader-types.ts'
import { type CleanImage, readImage } from '#domain/images/clean-image.ts'
import { sha256 } from '#domain/secrets/sha256.ts'
import { operation, type UploadedFile } from '#operations/kernel/declare-operation.ts'
import { brandState, BrandView, brandView } from '#operations/brand/shared/brand-view.ts'

export default operation({
  id: 'brand.logo',
  method: 'POST',
  path: '/v1/brand/logo',
  scope: 'application',
  summary: 'Upload the portal logo',
  description: `Sets the logo of the portal. Send the file as the body, with its media type as \`Content-Type\`.\n\n- The file must be a PNG, JPEG or WebP image of at most 512 KiB and ${sidePxMax} pixels per side. Animated images are rejected.\n- Text, locations, color profiles and all other metadata are removed. A rotation set in the Exif data is ignored.\n- SVG is rejected, because an SVG file can contain scripts and links.`,
  upload: { types: logoTypes, bytesMax: 512 * 1024, read },
  body: z.custom<CleanImage>(),
  output: BrandView,
  async run({ body: image }, context) {
    const { bytes, heightPx, mediaType, widthPx } = image
    const facts = { hash: sha256(bytes), mediaType, widthPx, heightPx }
    await context.store.brands.putLogo(context.application.id, facts, bytes)
    return brandView(context)
  },
  revision: (_, context) => brandState(context),
})

async function read({ bytes, type }: UploadedFile): Promise<CleanImage> {
  const image = await readImage(type, bytes)
  if ('fault' in image) throw new Failure('invalid_file', { reason: image.fault })
  return image
}
