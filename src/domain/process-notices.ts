/** Short messages from one process of a server to all processes, including itself. */
export interface Notices {
  /**
   * Resolves when the text was sent, or could not be sent. Never rejects. @param text less than 8,000 bytes of ASCII
   */
  send(text: string): Promise<void>
  listen(listener: NoticeListener): void
  close(): Promise<void>
}

export interface NoticeListener {
  onNotice(text: string): void
  /** Called when notices from other processes may have been missed, or own notices may not have been sent. */
  onLost(): void
}
