export interface Progress {
  readonly bytes: number
  /** Ends of lines: of records in NDJSON, of the head too in CSV. */
  readonly lines: number
}

/** Passes bytes on, and tells at most ten times a second how many there were; at the end in any case. */
export function counted(
  tell: (progress: Progress) => void,
  now: () => number = () => performance.now(),
): TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>> {
  let bytes = 0
  let lines = 0
  let toldMs = -Infinity
  return new TransformStream({
    transform(piece, controller) {
      bytes += piece.length
      for (const byte of piece) if (byte === 10) lines += 1
      controller.enqueue(piece)
      if (now() - toldMs < 100) return
      toldMs = now()
      tell({ bytes, lines })
    },
    flush: () => tell({ bytes, lines }),
  })
}
