using Foundation;
using LoadTesting.Contracts.Stats;

namespace LoadTesting.Running;

/// <summary>Where the reports of a session go, a file for each format.</summary>
internal sealed class ReportFolder(string folder, string fileName)
{
    public string FullPath => Path.GetFullPath(folder);

    public string PathOf(ReportFormat format) =>
        Path.Combine(folder, $"{fileName}.{format.ToString().ToLowerInvariant()}");

    /// <summary>
    /// Why the reports could not be written, with the way out; null where they can. Makes the folder.
    /// </summary>
    public string Refusal(IEnumerable<ReportFormat> formats)
    {
        var path = folder;
        try
        {
            Directory.CreateDirectory(folder);
            foreach (var format in formats)
            {
                path = PathOf(format);
                Probe(path);
            }

            return null;
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException or ArgumentException)
        {
            return $"The reports cannot be written: {UserMessage.Of(exception, path)} WithReportFolder and "
                + "WithReportFileName (ReportFolder "
                + "and ReportFileName of the JSON) say where they go; WithoutReports writes none.";
        }
    }

    public void Write(ReportFile file)
    {
        Directory.CreateDirectory(folder);
        File.WriteAllText(file.FilePath, file.ReportContent);
    }

    /// <summary>Opens the file for writing without changing it.</summary>
    private static void Probe(string path)
    {
        var isThere = File.Exists(path);
        using (new FileStream(path, FileMode.OpenOrCreate, FileAccess.Write, FileShare.ReadWrite))
        {
        }

        if (!isThere)
        {
            File.Delete(path);
        }
    }
}
