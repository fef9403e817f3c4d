namespace LoadTesting.Core.Http.Streams;

/// <summary>Takes the frames of one stream, in order.</summary>
internal interface IFrameSink
{
    void OnFrame(EventFrame frame);
}
