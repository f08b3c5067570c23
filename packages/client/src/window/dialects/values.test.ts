import { expect, test } from 'vitest';
import { weigh } from './values.ts';

test('a picture or a file counts the same, whatever its bytes are', () => {
  const bytes = 'A'.repeat(100_000);
  for (const media of [
    { type: 'image', source: { type: 'base64', data: bytes } },
    { type: 'image_url', image_url: { url: `data:image/png;base64,${bytes}` } },
    { type: 'input_image', image_url: bytes },
    { type: 'input_file', file_data: bytes },
    { inlineData: { mimeType: 'image/png', data: bytes } },
    { type: 'document', source: { data: bytes } },
  ]) {
    expect(weigh(media).tokens).toBe(1500);
  }
});

test('what a call says of files is text', () => {
  for (const input of [
    { file_path: '/waders.txt' },
    { filePath: '/waders.txt', image: 'no' },
    { files: ['a', 'b'] },
    { type: 'profile', video_id: '4' },
  ]) {
    expect(weigh(input).tokens).toBeLessThan(50);
  }
});
