namespace PerformanceTesting.Subjects;

/// <summary>
/// A web service did not start, or ended when it should not have; the message holds the end of its output.
/// </summary>
public sealed class WebServiceException : Exception
{
    public WebServiceException(string message)
        : base(message)
    {
    }
}
