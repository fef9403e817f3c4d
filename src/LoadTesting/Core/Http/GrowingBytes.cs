namespace LoadTesting.Core.Http;

/// <summary>A growing buffer that is reused.</summary>
internal sealed class GrowingBytes
{
    private byte[] _bytes = [];

    public int Length { get; set; }

    public ReadOnlySpan<byte> Span => _bytes.AsSpan(0, Length);

    public ReadOnlyMemory<byte> Memory => _bytes.AsMemory(0, Length);

    public void Append(ReadOnlySpan<byte> piece)
    {
        if (_bytes.Length - Length < piece.Length)
        {
            Array.Resize(ref _bytes,
                Math.Max(Length + piece.Length, Math.Min(Array.MaxLength, Math.Max(512, 2 * _bytes.Length))));
        }

        piece.CopyTo(_bytes.AsSpan(Length));
        Length += piece.Length;
    }

    /// <summary>Removes bytes from the beginning.</summary>
    public void DropFirst(int count)
    {
        _bytes.AsSpan(count, Length - count).CopyTo(_bytes);
        Length -= count;
    }
}
