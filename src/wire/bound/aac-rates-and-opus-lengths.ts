/** Sampling rates of AAC, by index (ISO/IEC 14496-3, "samplingFrequencyIndex"). */
export const aacRates = [
  96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8_000, 7_350,
]

/** Returns the seconds of the frames of an Opus packet (RFC 6716, sections 3.1 and 3.2). */
export function opusSeconds(file: Buffer, at: number, bytes: number): number {
  if (bytes === 0) return 0
  const toc = file[at] ?? 0
  const config = toc >> 3
  const frames = (toc & 3) === 0 ? 1 : (toc & 3) < 3 ? 2 : (file[at + 1] ?? 0xff) & 0x3f
  return Math.min(opusPacketSeconds, frames * opusFrameSeconds(config))
}

/** Length of the longest Opus packet, in seconds. */
export const opusPacketSeconds = 0.12

function opusFrameSeconds(config: number): number {
  if (config < 12) return [0.01, 0.02, 0.04, 0.06][config & 3] ?? 0
  if (config < 16) return config & 1 ? 0.02 : 0.01
  return [0.0025, 0.005, 0.01, 0.02][config & 3] ?? 0
}
