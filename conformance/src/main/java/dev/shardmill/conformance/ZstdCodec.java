package dev.shardmill.conformance;

import com.github.luben.zstd.ZstdInputStreamNoFinalizer;
import com.github.luben.zstd.ZstdOutputStreamNoFinalizer;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.conf.Configured;
import org.apache.hadoop.io.compress.CompressionCodec;
import org.apache.hadoop.io.compress.CompressionInputStream;
import org.apache.hadoop.io.compress.CompressionOutputStream;
import org.apache.hadoop.io.compress.Compressor;
import org.apache.hadoop.io.compress.Decompressor;

/** Zstandard without Hadoop's native library; core-site.xml names it to Accumulo. One frame a block. */
public final class ZstdCodec extends Configured implements CompressionCodec {
  public ZstdCodec() {
    super(new Configuration());
  }

  @Override
  public CompressionOutputStream createOutputStream(OutputStream out) {
    return new FrameStream(out);
  }

  /**
   * Frames on a stream that goes on behind them. Accumulo drops the stream of a block after its {@code finish} and never
   * closes it, so the native context is freed there, and nothing may wait for a finalizer, which would close the file.
   */
  private static final class FrameStream extends CompressionOutputStream {
    private ZstdOutputStreamNoFinalizer frame;

    FrameStream(OutputStream out) {
      super(out);
    }

    private OutputStream frame() throws IOException {
      if (frame == null) {
        frame = new ZstdOutputStreamNoFinalizer(new FilterOutputStream(out) {
          @Override
          public void write(byte[] bytes, int from, int length) throws IOException {
            out.write(bytes, from, length);
          }

          @Override
          public void close() throws IOException {
            flush();
          }
        });
      }
      return frame;
    }

    @Override
    public void write(int b) throws IOException {
      frame().write(b);
    }

    @Override
    public void write(byte[] bytes, int from, int length) throws IOException {
      frame().write(bytes, from, length);
    }

    @Override
    public void finish() throws IOException {
      if (frame != null) {
        frame.close();
        frame = null;
      }
    }

    @Override
    public void resetState() {}
  }

  @Override
  public CompressionOutputStream createOutputStream(OutputStream out, Compressor unused) {
    return createOutputStream(out);
  }

  @Override
  public CompressionInputStream createInputStream(InputStream in) throws IOException {
    ZstdInputStreamNoFinalizer frames = new ZstdInputStreamNoFinalizer(in);
    return new CompressionInputStream(in) {
      @Override
      public int read() throws IOException {
        return frames.read();
      }

      @Override
      public int read(byte[] bytes, int from, int length) throws IOException {
        return frames.read(bytes, from, length);
      }

      @Override
      public void resetState() {}

      @Override
      public void close() throws IOException {
        frames.close();
      }
    };
  }

  @Override
  public CompressionInputStream createInputStream(InputStream in, Decompressor unused) throws IOException {
    return createInputStream(in);
  }

  @Override
  public Class<? extends Compressor> getCompressorType() {
    return null;
  }

  @Override
  public Compressor createCompressor() {
    return null;
  }

  @Override
  public Class<? extends Decompressor> getDecompressorType() {
    return null;
  }

  @Override
  public Decompressor createDecompressor() {
    return null;
  }

  @Override
  public String getDefaultExtension() {
    return ".zst";
  }
}
