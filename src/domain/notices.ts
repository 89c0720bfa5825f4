/** Short texts from one process of a server to all the others, and to itself. */
export interface Notices {
  /** Resolves once it is sent, or cannot be. Never rejects. @param text of less than 8,000 bytes, ASCII */
  send(text: string): Promise<void>
  listen(listener: NoticeListener): void
  close(): Promise<void>
}

export interface NoticeListener {
  onNotice(text: string): void
  /** Notices of others may have been missed, or own ones not sent. */
  onLost(): void
}
