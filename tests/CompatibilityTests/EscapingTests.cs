using System.Text.RegularExpressions;
using LoadTesting.Contracts;
using LoadTesting.Contracts.Stats;
using LoadTesting.CSharp;

namespace CompatibilityTests;

/// <summary>Names and messages are shown in each format, and do nothing to it.</summary>
public sealed partial class EscapingTests : IDisposable
{
    private const string Acting = "\u001b[31mred\u001b[0m \0 \u202Eabc\u2066\u009b";
    private const string Shown = @"\u001B[31mred\u001B[0m \u0000 \u202Eabc\u2066\u009B";

    private readonly DirectoryInfo _folder = Directory.CreateTempSubdirectory("escaping-");

    public void Dispose() => _folder.Delete(recursive: true);

    [Theory]
    [InlineData(ReportFormat.Md, "GET /users/&lt;id>", "no &lt;title> in the answer ")]
    [InlineData(ReportFormat.Html, "GET /users/&lt;id&gt;", "no &lt;title&gt; in the answer ")]
    [InlineData(ReportFormat.Txt, "GET /users/<id>", "no <title> in the answer ")]
    [InlineData(ReportFormat.Csv, "GET /users/<id>", "")]
    public void Report_shows_names_and_messages_and_nothing_that_acts(ReportFormat format, string name, string message)
    {
        var scenario = Scenario.Create($"it's a \"test\" </script> | é 名 {Acting}", async context =>
        {
            await Step.Run($"GET /users/<id>{Acting}", context, () => Task.FromResult(Response.Ok("200")));
            return Response.Fail("500", $"no <title> in the answer\r\n{Acting}");
        }).WithoutWarmUp().WithLoadSimulations(Simulation.IterationsForConstant(1, 3));

        var result =
            NBomberRunner.RegisterScenarios(scenario).WithTestName($"test {Acting}").WithReportFolder(_folder.FullName)
            .WithReportFormats(format).DisplayConsoleMetrics(false).Run();

        var report = result.ReportFiles.Single().ReportContent;
        var shown = format == ReportFormat.Md
            ? Shown.Replace(@"\", @"\\", StringComparison.Ordinal).Replace("[", @"\[") : Shown;
        Assert.Contains(name + shown, report);
        Assert.Contains(message, report);
        Assert.Contains("名", report);
        Assert.DoesNotMatch(ActingCharacters(), report);
        Assert.Equal(report, File.ReadAllText(result.ReportFiles.Single().FilePath));
    }

    [Fact]
    public void Table_of_the_text_report_keeps_its_lines()
    {
        var scenario =
            Scenario.Create("lines", _ => Task.FromResult<IResponse>(Response.Fail("500", "one\r\ntwo\tthree")))
            .WithoutWarmUp().WithLoadSimulations(Simulation.IterationsForConstant(1, 1));

        var result = NBomberRunner.RegisterScenarios(scenario).WithReportFolder(_folder.FullName)
            .WithReportFormats(ReportFormat.Txt).DisplayConsoleMetrics(false).Run();

        Assert.Contains("one two three", result.ReportFiles.Single().ReportContent);
    }

    [Fact]
    public void Log_and_reason_of_a_stop_are_shown_and_do_not_act()
    {
        var scenario = Scenario.Create("stopped", context =>
        {
            context.Logger.Warning("said {Text}", Acting);
            context.StopCurrentTest($"seen <b> {Acting}");
            return Task.FromResult<IResponse>(Response.Ok());
        }).WithoutWarmUp().WithLoadSimulations(Simulation.IterationsForConstant(1, 1));

        var result = NBomberRunner.RegisterScenarios(scenario).WithReportFolder(_folder.FullName)
            .WithReportFormats(ReportFormat.Md).DisplayConsoleMetrics(false).Run();

        var log = File.ReadAllText(Directory.GetFiles(_folder.FullName, "nbomber-log-*").Single());
        Assert.Contains(@"\u202Eabc", log);
        Assert.DoesNotMatch(ActingCharacters(), log);
        Assert.Contains("seen &lt;b>", result.ReportFiles.Single().ReportContent);
        Assert.DoesNotMatch(ActingCharacters(), result.ReportFiles.Single().ReportContent);
    }

    [GeneratedRegex("[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F-\u009F\u202A-\u202E\u2066-\u2069]")]
    private static partial Regex ActingCharacters();
}
