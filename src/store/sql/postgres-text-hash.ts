/**
 * Returns the result of PostgreSQL's function `hashtext(text)`. A distributed database divides texts among its
 * shards by this hash. The algorithm is lookup3 of Bob Jenkins (burtleburtle.net/bob/c/lookup3.c) with PostgreSQL's
 * initial value. A text with a nondeterministic collation has another hash, but IDs have the collation "C".
 */
export function hashOfText(text: string): number {
  const bytes = Buffer.from(text)
  let a = (0x9e3779b9 + bytes.length + 3_923_095) | 0
  let b = a
  let c = a
  let at = 0
  for (; bytes.length - at >= 12; at += 12) {
    a = (a + bytes.readInt32LE(at)) | 0
    b = (b + bytes.readInt32LE(at + 4)) | 0
    c = (c + bytes.readInt32LE(at + 8)) | 0
    a = ((a - c) | 0) ^ turned(c, 4)
    c = (c + b) | 0
    b = ((b - a) | 0) ^ turned(a, 6)
    a = (a + c) | 0
    c = ((c - b) | 0) ^ turned(b, 8)
    b = (b + a) | 0
    a = ((a - c) | 0) ^ turned(c, 16)
    c = (c + b) | 0
    b = ((b - a) | 0) ^ turned(a, 19)
    a = (a + c) | 0
    c = ((c - b) | 0) ^ turned(b, 4)
    b = (b + a) | 0
  }
  const rest = Buffer.alloc(12)
  // Omit the lowest byte of the number that is added to `c`. This byte is reserved for the length, which `c` already
  // contains.
  bytes.subarray(at, at + 8).copy(rest)
  bytes.subarray(at + 8).copy(rest, 9)
  a = (a + rest.readInt32LE(0)) | 0
  b = (b + rest.readInt32LE(4)) | 0
  c = (c + rest.readInt32LE(8)) | 0
  c = ((c ^ b) - turned(b, 14)) | 0
  a = ((a ^ c) - turned(c, 11)) | 0
  b = ((b ^ a) - turned(a, 25)) | 0
  c = ((c ^ b) - turned(b, 16)) | 0
  a = ((a ^ c) - turned(c, 4)) | 0
  b = ((b ^ a) - turned(a, 14)) | 0
  return ((c ^ b) - turned(b, 24)) | 0
}

function turned(number: number, bits: number): number {
  return (number << bits) | (number >>> (32 - bits))
}
