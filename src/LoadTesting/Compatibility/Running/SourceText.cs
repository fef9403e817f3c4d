using Foundation;

namespace LoadTesting.Running;

/// <summary>Text from a file or a URL.</summary>
internal static class SourceText
{
    public static string Read(string path)
    {
        ArgumentException.ThrowIfNullOrWhiteSpace(path);
        if (!path.StartsWith("http://", StringComparison.OrdinalIgnoreCase)
            && !path.StartsWith("https://", StringComparison.OrdinalIgnoreCase))
        {
            return ReadFile(path);
        }

        using var client = new HttpClient { Timeout = TimeSpan.FromSeconds(30) };
        return Task.Run(() => client.GetStringAsync(new Uri(path))).GetAwaiter().GetResult();
    }

    private static string ReadFile(string path)
    {
        try
        {
            return File.ReadAllText(path);
        }
        catch (FileNotFoundException exception)
        {
            throw new FileNotFoundException(UserMessage.Of(exception, path), path, exception);
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException or ArgumentException)
        {
            throw new IOException(UserMessage.Of(exception, path), exception);
        }
    }
}
