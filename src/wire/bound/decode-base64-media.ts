/**
 * @param url base64 or a data URL
 * @returns the decoded data; null if a vendor's decoder may read more of the data than this decoder
 */
export function decodedMedia(url: string, charactersMax = Infinity): Buffer | null {
  const start = url.indexOf(',') + 1
  const base64 = url.slice(start, start + charactersMax).replaceAll(String.raw`\/`, '/')
  const padding = base64.endsWith('==') ? 2 : base64.endsWith('=') ? 1 : 0
  const file = Buffer.from(base64, 'base64')
  return file.length === Math.floor(((base64.length - padding) * 3) / 4) ? file : null
}
