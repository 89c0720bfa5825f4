import { refuseForRoute } from '#wire/wire-request.ts'

/** Rejects images whose number of tokens is not published. */
export function refuseUnbounded({
  outputFormat,
  quality,
}: {
  readonly quality: string | null
  readonly outputFormat: string | null
}): void {
  if (quality === 'xhigh' || quality === 'max')
    refuseForRoute(
      'quality',
      'the number of tokens of this quality is not published. Send high or a lower quality',
    )
  if (outputFormat === 'gif' || outputFormat === 'svg')
    refuseForRoute(
      'output_format',
      'the number of tokens of this format is not published. Send png, jpeg or webp',
    )
}
