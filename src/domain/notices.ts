/** Short messages from one process of a server to all processes, including itself. */
export interface Notices {
  /** Resolves when the text is sent, or cannot be sent. Never rejects. @param text less than 8,000 bytes of ASCII */
  send(text: string): Promise<void>
  listen(listener: NoticeListener): void
  close(): Promise<void>
}

export interface NoticeListener {
  onNotice(text: string): void
  /** Notices of others may have been missed, or own notices may not have been sent. */
  onLost(): void
}
